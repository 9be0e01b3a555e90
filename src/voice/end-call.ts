/**
 * Ends a call exactly once: deletes its row, writes CDRs and events and charges the minutes, in one transaction. The
 * process that deletes the row writes the CDRs.
 */
import { CompiledQuery } from 'kysely';
import type { Environment } from '../environment.ts';
import { grossOf } from '../money/decimal.ts';
import { chargeEvenIntoDebt } from '../money/ledger.ts';
import { type Call, type Disconnect, ended } from './call.ts';
import type { Refusal } from './disconnect-codes.ts';
import { ensureMonths } from './months.ts';
import { wake } from './open-call.ts';
import type { CallHost, Cdr, Direction, Settlement } from './ports.ts';
import type { Charge } from './rates.ts';

/**
 * Returns the ended call, or null if another process ended it first. `readVersion` is given if another process than the
 * carrying one ends the call: the carrying one is notified, and nothing is done if it has changed the call since then.
 */
export async function endCall<C extends Call>(
  env: Environment,
  direction: Direction<C>,
  call: C,
  streams: readonly string[],
  disconnect: Disconnect,
  at: Date,
  readVersion: string | null = null,
): Promise<C | null> {
  const endedCall = ended(call, disconnect, at);
  const settlement = direction.settle(endedCall);
  const events = (await isEndReported(env, call, streams.includes(direction.eventStream)))
    ? [{ stream: direction.eventStream, body: JSON.stringify(direction.event('end', endedCall)) }]
    : [];
  const values = [
    ...(await cdrValues(env, direction, endedCall, settlement.cdrs, [
      ...events,
      ...streamed(direction, settlement.cdrs, streams),
    ])),
    readVersion === null ? null : JSON.stringify(disconnect),
    readVersion,
  ];
  const text = endStatements[direction.cdrTable];
  const isOurs = isFree(settlement)
    ? (await env.pool.query({ name: `voice_end_${direction.name}`, text, values })).rows.length > 0
    : await endAndCharge(env, direction, endedCall, settlement, text, values);
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
    values: await cdrValues(host.env, direction, refused, cdrs, streamed(direction, cdrs, streams)),
  });
  wake(host, refused, streams);
  return refused;
}

interface StreamEntry {
  stream: string;
  body: string;
}

async function cdrValues<C extends Call>(
  env: Environment,
  direction: Direction<C>,
  call: C,
  cdrs: readonly Cdr[],
  events: readonly StreamEntry[],
): Promise<unknown[]> {
  const now = env.clock.now();
  await ensureMonths(env, direction.cdrTable, ...cdrs.map(({ row }) => row.time_start));
  await ensureMonths(env, 'call_events', now);
  return [call.id, JSON.stringify(cdrs.map(({ row }) => row)), JSON.stringify(events), call.accountId, now];
}

function streamed<C extends Call>(
  { cdrStream }: Direction<C>,
  cdrs: readonly Cdr[],
  streams: readonly string[],
): StreamEntry[] {
  if (!streams.includes(cdrStream)) return [];
  return cdrs.map(({ stream }) => ({ stream: cdrStream, body: JSON.stringify(stream) }));
}

const isFree = ({ charges }: Settlement): boolean => charges.every(({ charge }) => isZero(charge));

const isZero = ({ price }: Charge): boolean => grossOf(price) === 0n;

async function endAndCharge<C extends Call>(
  env: Environment,
  direction: Direction<C>,
  call: C,
  { cdrs, charges }: Settlement,
  text: string,
  values: readonly unknown[],
): Promise<boolean> {
  return env.db.transaction().execute(async (trx) => {
    const { rows } = await trx.executeQuery(CompiledQuery.raw(text, [...values]));
    const reference = cdrs.at(-1)?.row.id;
    if (rows.length === 0 || reference === undefined || call.accountId === null) return false;
    await direction.beforeCharge?.(trx, env, call);
    const movement = { accountId: call.accountId, reference, at: env.clock.now() };
    for (const { cause, occasion, charge } of charges) {
      if (isZero(charge)) continue;
      const about = occasion === undefined ? { cause } : { cause, occasion };
      await chargeEvenIntoDebt(trx, { ...movement, ...about }, charge.price);
    }
    return true;
  });
}

type CdrTable = Direction<Call>['cdrTable'];

const writes = (table: CdrTable, from: string) => `
  event as (
    insert into call_events (account_id, stream, call_id, body, created_at, due_at)
    select $4, x.stream, $1, x.body, $5, $5
    from ${from} jsonb_to_recordset($3::jsonb) as x (stream text, body text)
  ), cdr as (
    insert into ${table} select r.* from ${from} jsonb_populate_recordset(null::${table}, $2::jsonb) r
  )`;

const endStatementOf = (table: CdrTable) => `
  with gone as (delete from open_calls where id = $1 and xmin::text = coalesce($7, xmin::text) returning id),
  ${writes(table, 'gone,')}
  select id, case when $6::text is not null then pg_notify('trunkline', 'call_ended ' || id || ' ' || $6) end from gone`;

export const endStatements = { cdrs_in: endStatementOf('cdrs_in'), cdrs_out: endStatementOf('cdrs_out') } as const;

const refusedStatements = {
  cdrs_in: `with ${writes('cdrs_in', '')} select 1`,
  cdrs_out: `with ${writes('cdrs_out', '')} select 1`,
} as const;
