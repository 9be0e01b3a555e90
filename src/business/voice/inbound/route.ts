/** Reads everything needed to route a call in one statement: the number, its account, its trunks and their rates. */
import type { Pool } from 'pg';
import { groupedByPool } from '../../../engines/db/grouped.ts';
import type { ConfigurationType } from '../../../engines/db/tables/voice.ts';
import { parseAmount } from '../../money/decimal.ts';
import type { Rate } from '../rates.ts';
import type { TrunkSwitches } from '../sip-switches.ts';
import type { NumberFacts } from './refusals.ts';
import type { Ranked } from './trunk-order.ts';

/** How a trunk wants the caller's number: as it came, E.164, or the national format of the called number's country. */
export type CliFormat = 'raw' | 'e164' | 'local';

export interface CallerIdRule {
  format: CliFormat;
  prefix: string | null;
}

export interface RouteTrunk extends Ranked {
  id: string;
  name: string;
  capacityLimit: number | null;
  ringingTimeout: number | null;
  popId: string | null;
  callerId: CallerIdRule;
  switches: TrunkSwitches;
  type: ConfigurationType;
  configuration: Record<string, unknown>;
  forwardingRate: Rate | null;
  /** Set if the trunk wants the caller's name and the account has a lookup rate for this caller. */
  nameLookupRate: Rate | null;
}

export interface Route extends NumberFacts {
  accountId: string;
  /** Digits of the caller; null for one without a number. */
  caller: string | null;
  didId: string;
  /** Country of the called number, ISO 3166-1. */
  country: string;
  /** Limit and channels of the number itself. */
  numberLimit: number | null;
  included: number;
  dedicated: number;
  capacityGroup: { id: string; name: string; shared: number; metered: number } | null;
  meteredRate: Rate | null;
  tollFreeRate: Rate | null;
  vatRate: string;
  trunkGroup: { id: string; name: string; capacityLimit: number | null } | null;
  trunks: RouteTrunk[];
  streams: string[];
}

/** Returns the reason why there is no route if no account owns the number. */
export async function findRoute(
  pool: Pool,
  didNumber: string,
  srcNumber: string,
): Promise<Route | 'retired_number' | 'unknown_number'> {
  const caller = digitsOf(srcNumber);
  const row = await readRoute(pool, { number: didNumber, caller });
  if (row !== null) return { ...row, caller, spendable: parseAmount(row.spendable) };
  const { rows: former } = await pool.query('select 1 from did_history where did_number = $1 limit 1', [didNumber]);
  return former.length > 0 ? 'retired_number' : 'unknown_number';
}

interface Wanted {
  number: string;
  /** Digits of the caller, for the rate of looking up the name. */
  caller: string | null;
}

/** Routes of calls that arrive together are read together. */
const readRoute = groupedByPool(async (pool: Pool, wanted: readonly Wanted[]): Promise<(RouteRow | null)[]> => {
  const values = [wanted.map(({ number }) => number), wanted.map(({ caller }) => caller)];
  const { rows } = await pool.query<RouteRow>({ name: 'voice_route', text: routeStatement, values });
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  return wanted.map((_, index) => byPosition.get(index + 1) ?? null);
});

/** Null for a caller without a number to look up: anonymous, a SIP user. */
const digitsOf = (srcNumber: string): string | null => /^\+?(\d{3,20})$/.exec(srcNumber)?.[1] ?? null;

type RouteRow = Omit<Route, 'spendable' | 'caller'> & { position: number; spendable: string };

/** The columns are the members of `Route`. */
export const routeStatement = `
  select position, suspended, "accountId", "didId", country, blocked, terminated, "awaitingRegistration", "expiresAt",
         "numberLimit", included, dedicated, spendable, "vatRate", "capacityGroup", "meteredRate", "tollFreeRate",
         "trunkGroup", trunks, streams
  from voice_routes($1::text[], $2::text[])`;

/** SQL for the streams for which an account has an endpoint; none while the operator has switched call events off. */
export function streamsOf(a: string): string {
  return `array(select x.stream from (
      select s.stream from call_event_streams s where s.account_id = ${a}.id
      union select 'voice_in_events' where ${a}.call_events->>'url' is not null) x
    where coalesce((${a}.features->>'call_events')::boolean, true))`;
}

export function rateColumns(r: string): string {
  return `json_build_object('perMinute', ${r}.per_minute::text, 'connectionFee', ${r}.connection_fee::text,
    'initialInterval', ${r}.initial_interval, 'nextInterval', ${r}.next_interval)`;
}
