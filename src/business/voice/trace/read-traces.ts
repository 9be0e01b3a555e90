/** Finds traces of calls and counts of refused calls, for the command line. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import type { Environment } from '../../../engines/environment.ts';
import type { TraceEntry } from './entries.ts';

/** Every member narrows the search. */
export interface TraceSearch {
  /** Caller or called number, digits without `+`. */
  number?: string;
  trunkId?: string;
  /** The call's id, or the SIP Call-ID of any of its legs. */
  callId?: string;
  accountId?: string;
}

function matching({ db }: { db: Kysely<Schema> }, search: TraceSearch) {
  let query = db.selectFrom('call_traces').selectAll();
  const { number, trunkId, callId, accountId } = search;
  if (number !== undefined) {
    query = query.where(
      sql<boolean>`(src_number in (${number}, '+' || ${number}) or dst_number in (${number}, '+' || ${number}))`,
    );
  }
  if (trunkId !== undefined) query = query.where(sql<boolean>`trunk_ids @> array[${trunkId}::uuid]`);
  if (callId !== undefined) {
    query = query.where(sql<boolean>`(call_id = ${callId} or leg_call_ids @> array[${callId}::text])`);
  }
  return accountId === undefined ? query : query.where('account_id', '=', accountId);
}

export type TraceSummary = Awaited<ReturnType<typeof listTraces>>[number];

/** The newest first. */
export const listTraces = (env: Environment, search: TraceSearch, limit: number) =>
  matching(env, search).orderBy('started_at', 'desc').limit(limit).execute();

export interface StoredTrace {
  call: TraceSummary;
  entries: TraceEntry[];
}

/** The newest call with this id, or a leg with this SIP Call-ID; null if there is none. */
export async function readTrace(env: Environment, callId: string): Promise<StoredTrace | null> {
  const [call] = await listTraces(env, { callId }, 1);
  if (call === undefined) return null;
  const parts = await env.db
    .selectFrom('call_trace_parts')
    .select('entries')
    .where('call_id', '=', call.call_id)
    .orderBy('seq')
    .execute();
  return { call, entries: inOrder(parts.flatMap(({ entries }) => entriesOf(entries))) };
}

export interface TracePart {
  seq: number;
  call: TraceSummary;
  entries: TraceEntry[];
}

/** What was written after the part `seq`; processes write side by side, so the last numbers may come out of order. */
export async function readParts(env: Environment, search: TraceSearch, afterSeq: number): Promise<TracePart[]> {
  const parts = await env.db
    .selectFrom('call_trace_parts')
    .selectAll()
    .where('seq', '>', afterSeq)
    .where('call_id', 'in', matching(env, search).clearSelect().select('call_id'))
    .orderBy('seq')
    .limit(1_000)
    .execute();
  if (parts.length === 0) return [];
  const calls = await env.db
    .selectFrom('call_traces')
    .selectAll()
    .where('call_id', 'in', [...new Set(parts.map(({ call_id }) => call_id))])
    .execute();
  const byId = new Map(calls.map((call) => [call.call_id, call]));
  return parts.flatMap(({ seq, call_id, entries }) => {
    const call = byId.get(call_id);
    return call === undefined ? [] : [{ seq: Number(seq), call, entries: entriesOf(entries) }];
  });
}

/** The number of the newest part. */
export async function lastPart(env: Environment): Promise<number> {
  const { rows } = await sql<{
    seq: number;
  }>`select coalesce(max(seq), 0)::float8 as seq from call_trace_parts`.execute(env.db);
  return rows[0]?.seq ?? 0;
}

interface RefusalSearch {
  rule?: string;
  source?: string;
  number?: string;
  accountId?: string;
}

/** Those that were seen last come first. */
export function listRefusals(env: Environment, { rule, source, number, accountId }: RefusalSearch, limit: number) {
  let query = env.db.selectFrom('call_refusals').selectAll();
  if (rule !== undefined) query = query.where('rule', '=', rule);
  if (source !== undefined) query = query.where('source', '=', source);
  if (number !== undefined) {
    query = query.where((eb) => eb.or([eb('src_number', '=', number), eb('dst_number', '=', number)]));
  }
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  return query.orderBy('last_seen', 'desc').limit(limit).execute();
}

/** Only `writeTraces` writes the column. */
const entriesOf = (stored: unknown[]): TraceEntry[] => stored as TraceEntry[];

/** By time; a message that was claimed late comes before the reasons that followed it. */
const inOrder = (entries: readonly TraceEntry[]): TraceEntry[] =>
  [...entries].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
