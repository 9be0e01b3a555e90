/** Writes traces and counts of refused calls: one statement for everything that a process has collected. */
import type { Environment } from '../../../engines/environment.ts';
import type { Call } from '../call.ts';
import { momentOf, timestamp } from '../moment.ts';
import type { RecordedTrace } from './call-trace.ts';
import type { TraceEntry } from './entries.ts';
import type { RefusalCount } from './refusal-counter.ts';

/** The stored form of a trace; `entries` are added to what is stored. */
export function traceRow(trace: RecordedTrace, entries: readonly TraceEntry[]) {
  const { call } = trace;
  return {
    call_id: call.id,
    account_id: call.accountId,
    direction: call.direction,
    src_number: storable(call.srcNumber),
    dst_number: storable(call.dstNumber),
    user_agent: call.userAgent === null ? null : storable(call.userAgent),
    trunk_ids: call.trunkIds,
    trunk_name: call.trunkName,
    carrier_name: call.carrierName,
    leg_call_ids: trace.legCallIds,
    leg_sides: [call.callerSide, ...call.attempts.map(({ side }) => side)],
    state: call.state,
    refusal: trace.refusal,
    disconnect_code: call.disconnect?.code ?? null,
    disconnect_reason: call.disconnect?.reason ?? null,
    started_at: call.startedAt,
    answered_at: call.answeredAt,
    ended_at: call.endedAt,
    dropped: trace.dropped,
    media: trace.media,
    entries: entries.length === 0 ? null : entries,
  };
}

export type TraceRow = ReturnType<typeof traceRow>;

/** What strangers put into a request may have a NUL or, cut short, half a character: PostgreSQL stores neither. */
const storable = (text: string): string => text.replaceAll('\0', '\ufffd').slice(0, 200).toWellFormed();

const columns = [
  'call_id text',
  'account_id uuid',
  'direction text',
  'src_number text',
  'dst_number text',
  'user_agent text',
  'trunk_ids uuid[]',
  'trunk_name text',
  'carrier_name text',
  'leg_call_ids text[]',
  'leg_sides text[]',
  'state text',
  'refusal text',
  'disconnect_code int',
  'disconnect_reason text',
  'started_at timestamptz',
  'answered_at timestamptz',
  'ended_at timestamptz',
  'dropped int',
  'media jsonb',
];
const names = columns.map((column) => column.split(' ')[0] ?? '').join(', ');

/** A call that another process has ended stays ended. */
const writeStatement = `
  with given as materialized (
    select * from jsonb_to_recordset($1::jsonb) as x (${columns.join(', ')}, entries jsonb)
  ), traces as (
    insert into call_traces (${names}) select ${names} from given
    on conflict (call_id) do update set
      trunk_ids = excluded.trunk_ids, trunk_name = excluded.trunk_name, carrier_name = excluded.carrier_name,
      leg_call_ids = excluded.leg_call_ids, leg_sides = excluded.leg_sides, refusal = excluded.refusal,
      src_number = excluded.src_number, dropped = excluded.dropped,
      media = coalesce(excluded.media, call_traces.media),
      state = case when call_traces.state = 'ended' then 'ended' else excluded.state end,
      disconnect_code = coalesce(excluded.disconnect_code, call_traces.disconnect_code),
      disconnect_reason = coalesce(excluded.disconnect_reason, call_traces.disconnect_reason),
      answered_at = coalesce(excluded.answered_at, call_traces.answered_at),
      ended_at = coalesce(excluded.ended_at, call_traces.ended_at)
  ), parts as (
    insert into call_trace_parts (call_id, entries) select call_id, entries from given where entries is not null
  )
  select pg_notify('trunkline', 'call_trace')`;

export async function writeTraces({ pool }: Environment, rows: readonly TraceRow[]): Promise<void> {
  await pool.query({ name: 'voice_write_traces', text: writeStatement, values: [JSON.stringify(rows)] });
}

const countStatement = `
  insert into call_refusals (day, direction, rule, disconnect_code, disconnect_reason, source, account_id, about,
                             src_number, dst_number, carrier_name, sample, count, first_seen, last_seen)
  select (x."lastSeen" at time zone 'UTC')::date, x.direction, x.rule, x.code, x.text, x.source, x."accountId", x.about,
         x."srcNumber", x."dstNumber", x."carrierName", x.sample, x.count, x."firstSeen", x."lastSeen"
  from jsonb_to_recordset($1::jsonb) as x (direction text, rule text, code int, text text, source text,
    "accountId" uuid, about text, "srcNumber" text, "dstNumber" text, "carrierName" text, sample text, count bigint,
    "firstSeen" timestamptz, "lastSeen" timestamptz)
  on conflict on constraint call_refusals_key do update set
    count = call_refusals.count + excluded.count, last_seen = excluded.last_seen,
    src_number = excluded.src_number, dst_number = excluded.dst_number, carrier_name = excluded.carrier_name`;

export async function writeRefusals({ pool }: Environment, counts: readonly RefusalCount[]): Promise<void> {
  const rows = counts.map((count) => ({
    ...count,
    srcNumber: storable(count.srcNumber),
    dstNumber: storable(count.dstNumber),
  }));
  // In one order for every process, so that two of them never wait for each other's rows.
  rows.sort((a, b) => (a.rule + a.source + a.about < b.rule + b.source + b.about ? -1 : 1));
  await pool.query({ name: 'voice_write_refusals', text: countStatement, values: [JSON.stringify(rows)] });
}

/** Adds a sentence to the trace of a call that no process carries any more. */
export async function addToTrace(env: Environment, callId: string, text: string): Promise<void> {
  const entries: TraceEntry[] = [{ kind: 'reason', at: timestamp(momentOf(env.clock)), text }];
  await env.pool.query(
    `insert into call_trace_parts (call_id, entries)
     select call_id, $2::jsonb from call_traces where call_id = $1`,
    [callId, JSON.stringify(entries)],
  );
}

/** The trace of a call that another process than the carrying one has ended; that one may be dead. */
export async function closeTrace(env: Environment, { id, timeEnd, disconnect }: Call): Promise<void> {
  await env.db
    .updateTable('call_traces')
    .set({
      state: 'ended',
      ended_at: timeEnd,
      disconnect_code: disconnect?.code ?? null,
      disconnect_reason: disconnect?.reason ?? null,
    })
    .where('call_id', '=', id)
    .execute();
}
