/** Reads everything needed to route a call in one statement: the number, its account, its trunks and their rates. */
import type { Pool } from 'pg';
import type { ConfigurationType } from '../../db/tables/voice.ts';
import { parseAmount } from '../../money/decimal.ts';
import type { Rate } from '../rates.ts';
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
  type: ConfigurationType;
  configuration: Record<string, unknown>;
  forwardingRate: Rate | null;
  /** Set if the trunk wants the caller's name and the account has a lookup rate for this caller. */
  nameLookupRate: Rate | null;
}

export interface Route {
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

export interface Found {
  facts: NumberFacts;
  route: Route | null;
}

export async function findRoute(pool: Pick<Pool, 'query'>, didNumber: string, srcNumber: string): Promise<Found> {
  const values = [didNumber, digitsOf(srcNumber)];
  const { rows } = await pool.query<RouteRow>({ name: 'voice_route', text: routeStatement, values });
  const [row] = rows;
  if (row === undefined) return { facts: unowned(await wasOnceOurs(pool, didNumber)), route: null };
  return {
    facts: {
      owned: true,
      retired: false,
      blocked: row.blocked_by_staff,
      terminated: row.terminated,
      awaitingRegistration: row.awaiting_registration,
      expiresAt: row.expires_at,
      spendable: parseAmount(row.balance) + parseAmount(row.credit),
      destinations: row.trunks.length,
    },
    route: asRoute(row),
  };
}

/** Null for a caller without a number to look up: anonymous, a SIP user. */
export const digitsOf = (srcNumber: string): string | null => /^\+?(\d{3,20})$/.exec(srcNumber)?.[1] ?? null;

interface RouteRow {
  account_id: string;
  did_id: string;
  country: string;
  blocked_by_staff: boolean;
  terminated: boolean;
  awaiting_registration: boolean;
  expires_at: Date | null;
  capacity_limit: number | null;
  channels_included_count: number;
  dedicated_channels_count: number;
  balance: string;
  credit: string;
  vat_rate: string;
  capacity_group: Route['capacityGroup'];
  metered_rate: string | null;
  toll_free_rate: Rate | null;
  trunk_group: Route['trunkGroup'];
  trunks: RouteTrunk[];
  streams: string[];
}

/** The channels of a suspended pool (its renewal could not be paid) count as none. */
export const routeStatement = `
  select d.account_id, d.id as did_id, c.iso as country, d.blocked_by_staff, d.terminated, d.awaiting_registration, d.expires_at,
         d.capacity_limit, d.channels_included_count,
         case when p.suspended then 0 else d.dedicated_channels_count end as dedicated_channels_count,
         a.balance, a.credit, a.vat_rate,
         case when g.id is not null then json_build_object('id', g.id, 'name', g.name,
           'shared', case when gp.suspended then 0 else g.shared_channels_count end,
           'metered', case when gp.suspended then 0 else g.metered_channels_count end) end as capacity_group,
         gt.metered_rate,
         case when dg.is_metered then (select ${rateColumns('r')} from voice_rate('toll_free', d.account_id, d.number) r)
           end as toll_free_rate,
         case when tg.id is not null then json_build_object('id', tg.id, 'name', tg.name,
           'capacityLimit', tg.capacity_limit) end as trunk_group,
         (select coalesce(json_agg(json_build_object('id', t.id, 'name', t.name, 'priority', t.priority,
             'weight', t.weight, 'capacityLimit', t.capacity_limit, 'ringingTimeout', t.ringing_timeout,
             'popId', t.pop_id,
             'callerId', json_build_object('format', t.cli_format, 'prefix', t.cli_prefix), 'type', t.configuration_type, 'configuration', t.configuration,
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

function asRoute(row: RouteRow): Route {
  return {
    accountId: row.account_id,
    didId: row.did_id,
    country: row.country,
    numberLimit: row.capacity_limit,
    included: row.channels_included_count,
    dedicated: row.dedicated_channels_count,
    capacityGroup: row.capacity_group,
    meteredRate: row.metered_rate === null ? null : perMinute(row.metered_rate),
    tollFreeRate: row.toll_free_rate,
    vatRate: row.vat_rate,
    trunkGroup: row.trunk_group,
    trunks: row.trunks,
    streams: row.streams,
  };
}

/** Metered channels are billed in whole minutes at their pool's rate. */
const perMinute = (rate: string): Rate => ({
  perMinute: rate,
  connectionFee: '0',
  initialInterval: 60,
  nextInterval: 60,
});

const unowned = (retired: boolean): NumberFacts => ({
  owned: false,
  retired,
  blocked: false,
  terminated: false,
  awaitingRegistration: false,
  expiresAt: null,
  spendable: 0n,
  destinations: 0,
});

async function wasOnceOurs(pool: Pick<Pool, 'query'>, didNumber: string): Promise<boolean> {
  const { rows } = await pool.query(`select 1 from did_history where did_number = $1 limit 1`, [didNumber]);
  return rows.length > 0;
}
