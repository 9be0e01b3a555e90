/** Reads everything needed to route a call in one statement: the number, its account, its trunks and their rates. */
import type { Pool } from 'pg';
import type { ConfigurationType } from '../../db/tables/voice.ts';
import { parseAmount } from '../../money/decimal.ts';
import type { Rate } from '../rates.ts';
import { type SipSwitches, switchesOf } from '../sip-switches.ts';
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
  switches: SipSwitches;
  type: ConfigurationType;
  configuration: Record<string, unknown>;
  forwardingRate: Rate | null;
  /** Set if the trunk wants the caller's name and the account has a lookup rate for this caller. */
  nameLookupRate: Rate | null;
}

export interface Route extends NumberFacts {
  accountId: string;
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
  pool: Pick<Pool, 'query'>,
  didNumber: string,
  srcNumber: string,
): Promise<Route | 'retired_number' | 'unknown_number'> {
  const values = [didNumber, digitsOf(srcNumber)];
  const { rows } = await pool.query<RouteRow>({ name: 'voice_route', text: routeStatement, values });
  const [row] = rows;
  if (row !== undefined) return { ...row, spendable: parseAmount(row.spendable) };
  const { rows: former } = await pool.query('select 1 from did_history where did_number = $1 limit 1', [didNumber]);
  return former.length > 0 ? 'retired_number' : 'unknown_number';
}

/** Null for a caller without a number to look up: anonymous, a SIP user. */
const digitsOf = (srcNumber: string): string | null => /^\+?(\d{3,20})$/.exec(srcNumber)?.[1] ?? null;

type RouteRow = Omit<Route, 'spendable'> & { spendable: string };

/**
 * The columns are the members of `Route`. The channels of a suspended pool (its renewal could not be paid) count as none.
 * Metered channels are billed in whole minutes at their pool's rate.
 */
export const routeStatement = `
  select a.suspended_at is not null as suspended, d.account_id as "accountId", d.id as "didId", c.iso as country, d.blocked_by_staff as blocked, d.terminated,
         d.awaiting_registration as "awaitingRegistration", d.expires_at as "expiresAt",
         d.capacity_limit as "numberLimit", d.channels_included_count as included,
         case when p.suspended then 0 else d.dedicated_channels_count end as dedicated,
         (a.balance + a.credit)::text as spendable, a.vat_rate as "vatRate",
         case when g.id is not null then json_build_object('id', g.id, 'name', g.name,
           'shared', case when gp.suspended then 0 else g.shared_channels_count end,
           'metered', case when gp.suspended then 0 else g.metered_channels_count end) end as "capacityGroup",
         case when gt.metered_rate is not null then json_build_object(
           'perMinute', adjusted_price(a.id, 'metered_minute', gt.metered_rate, 4)::text,
           'connectionFee', '0', 'initialInterval', 60, 'nextInterval', 60) end as "meteredRate",
         case when dg.is_metered then (select ${rateColumns('r')} from voice_rate('toll_free', d.account_id, d.number) r)
           end as "tollFreeRate",
         case when tg.id is not null then json_build_object('id', tg.id, 'name', tg.name,
           'capacityLimit', tg.capacity_limit) end as "trunkGroup",
         (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'priority', t.priority,
             'weight', t.weight, 'capacityLimit', t.capacity_limit, 'ringingTimeout', t.ringing_timeout,
             'popId', t.pop_id,
             'callerId', json_build_object('format', t.cli_format, 'prefix', t.cli_prefix),
             'switches', ${switchesOf('t')},
             'type', t.configuration_type, 'configuration', t.configuration,
             'forwardingRate', case when t.configuration_type = 'pstn_configurations' then
               (select ${rateColumns('r')} from voice_rate('pstn_forwarding', t.account_id, t.configuration->>'dst') r)
             end,
             'nameLookupRate', case when (t.configuration->>'cnam_lookup')::boolean then
               (select ${rateColumns('r')} from voice_rate('cnam_lookup', t.account_id, $2::text) r)
             end) order by t.id), '[]')
          from voice_in_trunks t
          where t.id = d.voice_in_trunk_id or t.voice_in_trunk_group_id = d.voice_in_trunk_group_id) as trunks,
         ${streamsOf('a')} as streams
  from dids d
  join accounts a on a.id = d.account_id
  join did_groups dg on dg.id = d.did_group_id
  join countries c on c.id = dg.country_id
  left join capacity_pools p on p.id = d.capacity_pool_id
  left join shared_capacity_groups g on g.id = d.shared_capacity_group_id
  left join capacity_pools gp on gp.id = g.capacity_pool_id
  left join capacity_pool_templates gt on gt.id = gp.template_id
  left join voice_in_trunk_groups tg on tg.id = d.voice_in_trunk_group_id
  where d.number = $1 and d.activated_at is not null`;

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
