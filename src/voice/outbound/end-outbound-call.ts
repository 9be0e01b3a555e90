/** Ends an outbound call once: its row goes, its CDR and events come, its minutes are charged and counted. */
import { CompiledQuery } from 'kysely';
import type { Environment } from '../../environment.ts';
import { toSql } from '../../money/decimal.ts';
import { chargeEvenIntoDebt } from '../../money/ledger.ts';
import type { Disconnect } from '../call.ts';
import { momentOf, readMoment } from '../moment.ts';
import { ensureMonths } from '../months.ts';
import { type OutboundCall, outboundCdr, outboundCharge, outboundEnd, outboundEnded } from './outbound-call.ts';
import { blockAtThreshold } from './threshold.ts';

/** Answers the ended call, or null when somebody else has ended it: whoever deletes the row writes the end. */
export async function endOutboundCall(
  env: Environment,
  call: OutboundCall,
  streams: readonly string[],
  disconnect: Disconnect,
  at: Date,
): Promise<OutboundCall | null> {
  const over = outboundEnded(call, disconnect, at);
  const charge = outboundCharge(over);
  const { row, stream } = outboundCdr(over, charge);
  const now = env.clock.now();
  await ensureMonths(env, 'cdrs_out', over.timeStart);
  await ensureMonths(env, 'call_events', now);
  const told = [
    ...(streams.includes('voice_out_events')
      ? [{ stream: 'voice_out_events', body: JSON.stringify(outboundEnd(over)) }]
      : []),
    ...(streams.includes('voice_out_cdr') ? [{ stream: 'voice_out_cdr', body: JSON.stringify(stream) }] : []),
  ];
  return env.db.transaction().execute(async (trx) => {
    const values = [over.id, JSON.stringify([row]), JSON.stringify(told), over.accountId, now];
    const { rows } = await trx.executeQuery(CompiledQuery.raw(endStatement, values));
    if (rows.length === 0) return null;
    const amount = charge?.amount ?? 0n;
    if (amount > 0n) {
      await blockAtThreshold(trx, env, over.trunkId);
      const movement = { accountId: over.accountId, cause: 'call_charge', reference: row.id, at: now } as const;
      await chargeEvenIntoDebt(trx, { ...movement, amount: toSql(amount) });
    }
    return over;
  });
}

/** A call that its trunk may not place: no row to give back, no event, one CDR. */
export async function writeRefusedOutboundCall(
  env: Environment,
  call: OutboundCall,
  streams: readonly string[],
  disconnect: Disconnect,
): Promise<void> {
  const over = outboundEnded(call, disconnect, call.timeStart);
  const { row, stream } = outboundCdr(over, null);
  const now = env.clock.now();
  await ensureMonths(env, 'cdrs_out', over.timeStart);
  await ensureMonths(env, 'call_events', now);
  const told = streams.includes('voice_out_cdr') ? [{ stream: 'voice_out_cdr', body: JSON.stringify(stream) }] : [];
  await env.pool.query({
    name: 'voice_refused_outbound_call',
    text: `with ${writes('')} select 1`,
    values: [over.id, JSON.stringify([row]), JSON.stringify(told), over.accountId, now],
  });
}

/** From any process: the trunk is gone, or the process that carried the call. */
export async function endStoredOutboundCall(
  env: Environment,
  id: string,
  disconnect: Disconnect,
  at: (call: OutboundCall) => Date,
): Promise<OutboundCall | null> {
  const row = await env.db
    .selectFrom('open_calls')
    .select('call')
    .where('id', '=', id)
    .where('direction', '=', 'out')
    .executeTakeFirst();
  if (row === undefined) return null;
  const { streams, ...stored } = row.call as StoredOutboundCall;
  const call: OutboundCall = {
    ...stored,
    timeStart: readMoment(stored.timeStart),
    timeConnect: stored.timeConnect === null ? null : readMoment(stored.timeConnect),
    timeEnd: null,
  };
  return endOutboundCall(env, call, streams, disconnect, at(call));
}

/** Calls through a trunk that is no more stop at once. */
export async function endOutboundCallsOf(env: Environment, trunkId: string): Promise<void> {
  const calls = await env.db.selectFrom('open_calls').select('id').where('trunk_id', '=', trunkId).execute();
  const gone: Disconnect = { code: 403, reason: 'Forbidden', initiator: 'switch' };
  for (const { id } of calls) await endStoredOutboundCall(env, id, gone, () => momentOf(env.clock));
}

interface StoredOutboundCall extends Omit<OutboundCall, 'timeStart' | 'timeConnect' | 'timeEnd'> {
  timeStart: string;
  timeConnect: string | null;
  streams: string[];
}

const writes = (guard: string) => `
  told as (
    insert into call_events (account_id, stream, call_id, body, created_at, due_at)
    select $4, x.stream, $1, x.body, $5, $5
    from ${guard} jsonb_to_recordset($3::jsonb) as x (stream text, body text)
  ), kept as (
    insert into cdrs_out select r.* from ${guard} jsonb_populate_recordset(null::cdrs_out, $2::jsonb) r
  )`;

const endStatement = `
  with gone as (delete from open_calls where id = $1 returning id), ${writes('gone,')}
  select id from gone`;
