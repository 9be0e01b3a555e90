/** Ends a call once: its row goes, its CDRs and events come, its minutes are charged; all or nothing. */
import { CompiledQuery } from 'kysely';
import type { Environment } from '../environment.ts';
import { toSql } from '../money/decimal.ts';
import { chargeEvenIntoDebt } from '../money/ledger.ts';
import type { Charge } from './billing.ts';
import { type Disconnect, ended, type InboundCall } from './call.ts';
import { type Charges, chargesOf, type InboundCdr, inboundCdrs, noCharges } from './inbound/cdr.ts';
import { incomingEnd } from './inbound/events.ts';
import { ensureMonths } from './months.ts';
import { readCall } from './stored-call.ts';

/** Answers the ended call, or null when somebody else has ended it: whoever deletes the row writes the end. */
export async function endCall(
  env: Environment,
  call: InboundCall,
  streams: readonly string[],
  disconnect: Disconnect,
  at: Date,
): Promise<InboundCall | null> {
  const over = ended(call, disconnect, at);
  const charges = chargesOf(over);
  const cdrs = inboundCdrs(over, charges);
  const now = env.clock.now();
  await ensureMonths(env, 'cdrs_in', ...cdrs.map(({ row }) => row.time_start));
  await ensureMonths(env, 'call_events', now);
  const values = [
    over.id,
    JSON.stringify(cdrs.map(({ row }) => row)),
    JSON.stringify(told(over, cdrs, streams)),
    over.accountId,
    now,
  ];
  const ours = isFree(charges)
    ? isOurs((await env.pool.query({ name: 'voice_end_call', text: endStatement, values })).rows)
    : await endAndCharge(env, over, charges, cdrs, values);
  return ours ? over : null;
}

/** From any process: a hang-up by hand, or the end of a call whose process is gone. */
export async function endStoredCall(
  env: Environment,
  id: string,
  disconnect: Disconnect,
  at: (call: InboundCall) => Date,
): Promise<InboundCall | null> {
  const row = await env.db
    .selectFrom('open_calls')
    .select('call')
    .where('id', '=', id)
    .where('direction', '=', 'in')
    .executeTakeFirst();
  if (row === undefined) return null;
  const { call, streams } = readCall(row.call);
  return endCall(env, call, streams, disconnect, at(call));
}

/** A call that was refused before it held anything: no row to give back, no event, one CDR. */
export async function writeRefusedCall(
  env: Environment,
  refused: InboundCall,
  streams: readonly string[],
): Promise<void> {
  const cdrs = inboundCdrs(refused, noCharges);
  if (cdrs.length === 0) return;
  const now = env.clock.now();
  await ensureMonths(env, 'cdrs_in', refused.timeStart);
  await ensureMonths(env, 'call_events', now);
  await env.pool.query({
    name: 'voice_refused_call',
    text: refusedStatement,
    values: [
      refused.id,
      JSON.stringify(cdrs.map(({ row }) => row)),
      JSON.stringify(streamedOf(cdrs, streams)),
      refused.accountId,
      now,
    ],
  });
}

function told(call: InboundCall, cdrs: readonly InboundCdr[], streams: readonly string[]) {
  const events = streams.includes('voice_in_events')
    ? [{ stream: 'voice_in_events', body: JSON.stringify(incomingEnd(call)) }]
    : [];
  return [...events, ...streamedOf(cdrs, streams)];
}

const streamedOf = (cdrs: readonly InboundCdr[], streams: readonly string[]) =>
  streams.includes('voice_in_cdr')
    ? cdrs.map(({ stream }) => ({ stream: 'voice_in_cdr', body: JSON.stringify(stream) }))
    : [];

const isFree = (charges: Charges): boolean => Object.values(charges).every((charge) => (charge?.amount ?? 0n) === 0n);

const isOurs = (rows: readonly unknown[]): boolean => rows.length > 0;

async function endAndCharge(
  env: Environment,
  call: InboundCall,
  charges: Charges,
  cdrs: readonly InboundCdr[],
  values: readonly unknown[],
): Promise<boolean> {
  return env.db.transaction().execute(async (trx) => {
    const { rows } = await trx.executeQuery(CompiledQuery.raw(endStatement, [...values]));
    const reference = cdrs.at(-1)?.row.id;
    if (!isOurs(rows) || reference === undefined || call.accountId === null) return false;
    const common = { accountId: call.accountId, reference, at: env.clock.now() };
    const charge = (part: Charge | null, cause: 'metered_minutes' | 'call_charge', occasion: string) =>
      chargeEvenIntoDebt(trx, { ...common, cause, occasion, amount: toSql(part?.amount ?? 0n) });
    await charge(charges.metered, 'metered_minutes', 'metered');
    await charge(charges.tollFree, 'metered_minutes', 'toll_free');
    await charge(charges.pstn, 'call_charge', 'pstn');
    await charge(charges.cnam, 'call_charge', 'cnam');
    return true;
  });
}

const writes = (guard: string) => `
  told as (
    insert into call_events (account_id, stream, call_id, body, created_at, due_at)
    select $4, x.stream, $1, x.body, $5, $5
    from ${guard} jsonb_to_recordset($3::jsonb) as x (stream text, body text)
  ), kept as (
    insert into cdrs_in select r.* from ${guard} jsonb_populate_recordset(null::cdrs_in, $2::jsonb) r
  )`;

export const endStatement = `
  with gone as (delete from open_calls where id = $1 returning id), ${writes('gone,')}
  select id from gone`;

const refusedStatement = `with ${writes('')} select 1`;
