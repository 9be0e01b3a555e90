/**
 * Ends a call exactly once: deletes its row, writes CDRs and events and charges the minutes, in one transaction. The
 * process that deletes the row writes the CDRs.
 */

import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Pool } from 'pg';
import { groupedByPool } from '../../engines/db/grouped.ts';
import type { Schema } from '../../engines/db/schema.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { type Amount, grossOf, toSql } from '../money/decimal.ts';
import { chargeEvenIntoDebt } from '../money/ledger.ts';
import { type Call, type Disconnect, ended } from './call.ts';
import type { Refusal } from './disconnect-codes.ts';
import { ensureMonths } from './months.ts';
import { wake } from './open-call.ts';
import type { CallCharge, CallHost, Cdr, Direction, Settlement } from './ports.ts';
import type { Charge } from './rates.ts';
import { paidEnd } from './reservation.ts';

/** An active call as its process or the database knows it. */
interface OpenCall<C extends Call> {
  call: C;
  streams: readonly string[];
  /** The money it holds; 0 for a free call. */
  held: Amount;
}

/**
 * Returns the ended call, or null if another process ended it first. `readVersion` is given if another process than the
 * carrying one ends the call: the carrying one is notified, and nothing is done if it has changed the call since then.
 */
export async function endCall<C extends Call>(
  env: Environment,
  direction: Direction<C>,
  { call, streams, held }: OpenCall<C>,
  disconnect: Disconnect,
  at: Date,
  readVersion: string | null = null,
): Promise<C | null> {
  const endedCall = ended(call, disconnect, paidEnd(call, direction.tariff(call), held, at));
  const settlement = direction.settle(endedCall);
  const events = (await isEndReported(env, call, streams.includes(direction.eventStream)))
    ? [{ stream: direction.eventStream, body: JSON.stringify(direction.event('end', endedCall)) }]
    : [];
  const end: WrittenEnd = {
    ...(await cdrValues(env, direction, endedCall, settlement.cdrs, [
      ...events,
      ...streamed(direction, settlement.cdrs, streams),
    ])),
    ...{ disconnect: readVersion === null ? null : JSON.stringify(disconnect), version: readVersion },
  };
  const isOurs = isFree(settlement)
    ? await writeFreeEnd(env.pool, direction.cdrTable, end)
    : await endAndCharge(env, direction, endedCall, settlement, end);
  return isOurs ? endedCall : null;
}

/** False also where a test in the sandbox has asked for a call whose end is never reported. */
async function isEndReported(env: Environment, { accountId }: Call, isStreamed: boolean): Promise<boolean> {
  if (!isStreamed || env.faults === undefined || accountId === null) return isStreamed;
  return (await env.faults.take(['call.one_way_events'], accountId)) === null;
}

/** Writes the CDR of a call that was refused before it was opened: there is no row to delete and no event. */
export async function writeRefusedCall<C extends Call>(
  host: CallHost,
  direction: Direction<C>,
  call: C,
  { code, text }: Refusal<string>,
  streams: readonly string[],
): Promise<C> {
  const refused = ended(call, { code, reason: text, initiator: 'switch' }, call.timeStart);
  const { cdrs } = direction.settle(refused);
  if (cdrs.length === 0) return refused;
  await host.env.pool.query({
    name: `voice_refused_${direction.name}`,
    text: refusedStatements[direction.cdrTable],
    values: [JSON.stringify([await cdrValues(host.env, direction, refused, cdrs, streamed(direction, cdrs, streams))])],
  });
  wake(host, direction, refused, streams);
  return refused;
}

interface StreamEntry {
  stream: string;
  body: string;
}

/** A call's rows for the CDR table and for the streams, as the statements below read them. */
interface WrittenCdrs {
  id: string;
  cdrs: readonly object[];
  events: readonly StreamEntry[];
  account_id: string | null;
  at: Date;
}

interface WrittenEnd extends WrittenCdrs {
  /** Set if another process than the carrying one ends the call: what the carrying one is told, and what was read. */
  disconnect: string | null;
  version: string | null;
}

async function cdrValues<C extends Call>(
  env: Environment,
  direction: Direction<C>,
  call: C,
  cdrs: readonly Cdr[],
  events: readonly StreamEntry[],
): Promise<WrittenCdrs> {
  const at = env.clock.now();
  await ensureMonths(env, direction.cdrTable, ...cdrs.map(({ row }) => row.time_start));
  await ensureMonths(env, 'call_events', at);
  return { id: call.id, cdrs: cdrs.map(({ row }) => row), events, account_id: call.accountId, at };
}

function streamed<C extends Call>(
  { cdrStream }: Direction<C>,
  cdrs: readonly Cdr[],
  streams: readonly string[],
): StreamEntry[] {
  if (!streams.includes(cdrStream)) return [];
  return cdrs.map((cdr) => ({ stream: cdrStream, body: JSON.stringify(cdr.stream()) }));
}

const isFree = ({ charges }: Settlement): boolean => charges.every(({ charge }) => isZero(charge));

const isZero = ({ price }: Charge): boolean => grossOf(price) === 0n;

async function endAndCharge<C extends Call>(
  env: Environment,
  direction: Direction<C>,
  call: C,
  { cdrs, charges }: Settlement,
  end: WrittenEnd,
): Promise<boolean> {
  return inTransaction(env.db, async (trx) => {
    const statement = CompiledQuery.raw(endStatements[direction.cdrTable], [JSON.stringify([end])]);
    const { rows } = await trx.executeQuery<{ risk: string | null }>(statement);
    const reference = cdrs.at(-1)?.row.id;
    if (rows.length === 0 || reference === undefined || call.accountId === null) return false;
    await direction.beforeCharge?.(trx, env, call);
    await spendRisk(trx, rows[0]?.risk ?? null, call, charges);
    const movement = { accountId: call.accountId, reference, at: env.clock.now() };
    for (const { cause, occasion, charge } of charges) {
      if (isZero(charge)) continue;
      const about = occasion === undefined ? { cause } : { cause, occasion };
      await chargeEvenIntoDebt(trx, { ...movement, ...about }, charge.price);
    }
    return true;
  });
}

/** Counts the charge against the limit of its class of destinations, on the day on which the call began. */
async function spendRisk(
  trx: Kysely<Schema>,
  risk: string | null,
  { accountId, timeStart }: Call,
  charges: readonly CallCharge[],
): Promise<void> {
  if (risk === null) return;
  const spent = charges.reduce((sum, { charge }) => sum + grossOf(charge.price), 0n);
  await sql`update risk_spending set spent = spent + ${toSql(spent)}::numeric
    where account_id = ${accountId} and risk = ${risk} and day = call_day(${timeStart})`.execute(trx);
}

type CdrTable = Direction<Call>['cdrTable'];

/** `ended` names the calls whose rows are written. */
const writes = (table: CdrTable, ended: string) => `
  event as (
    insert into call_events (account_id, stream, call_id, body, created_at, due_at)
    select g.account_id, x.stream, g.id, x.body, g.at, g.at
    from given g join ${ended} e using (id), json_to_recordset(g.events) as x (stream text, body text)
  ), cdr as (
    insert into ${table}
    select r.* from given g join ${ended} e using (id), json_populate_recordset(null::${table}, g.cdrs) r
  )`;

const given = `given as materialized (
    select * from json_to_recordset($1::json)
      as x (id text, cdrs json, events json, account_id uuid, at timestamptz, disconnect text, version text)
  )`;

/** The list of ids lets PostgreSQL use the index however many calls are open. */
const endStatementOf = (table: CdrTable) => `
  with ${given}, gone as (
    delete from open_calls o
    where o.id = any(array(select id from given))
      and o.xmin::text = coalesce((select g.version from given g where g.id = o.id), o.xmin::text)
    returning o.id, o.risk
  ), ${writes(table, 'gone')}
  select id, risk, case when g.disconnect is not null
                  then pg_notify('trunkline', 'call_ended ' || id || ' ' || g.disconnect) end
  from gone join given g using (id)`;

export const endStatements = { cdrs_in: endStatementOf('cdrs_in'), cdrs_out: endStatementOf('cdrs_out') } as const;

const refusedStatementOf = (table: CdrTable) => `with ${given}, ${writes(table, 'given')} select 1`;

const refusedStatements = {
  cdrs_in: refusedStatementOf('cdrs_in'),
  cdrs_out: refusedStatementOf('cdrs_out'),
} as const;

/** Returns for each end whether it was the first of its call. */
const freeEndsOf =
  ({ name, cdrTable }: { name: string; cdrTable: CdrTable }) =>
  async (pool: Pool, ends: readonly WrittenEnd[]): Promise<boolean[]> => {
    const [text, values] = [endStatements[cdrTable], [JSON.stringify(ends)]];
    const { rows } = await pool.query<{ id: string }>({ name: `voice_end_${name}`, text, values });
    const gone = new Set(rows.map(({ id }) => id));
    return ends.map(({ id }) => gone.has(id));
  };

const freeEnds = {
  cdrs_in: freeEndsOf({ name: 'in', cdrTable: 'cdrs_in' }),
  cdrs_out: freeEndsOf({ name: 'out', cdrTable: 'cdrs_out' }),
} as const;

/** Ends of this process's own calls that come together are written together. */
const ownFreeEnds = { cdrs_in: groupedByPool(freeEnds.cdrs_in), cdrs_out: groupedByPool(freeEnds.cdrs_out) } as const;

/** An end of another process's call may have to wait for that process, so it is written by itself. */
async function writeFreeEnd(pool: Pool, table: CdrTable, end: WrittenEnd): Promise<boolean> {
  if (end.version === null) return ownFreeEnds[table](pool, end);
  const [isFirst = false] = await freeEnds[table](pool, [end]);
  return isFirst;
}
