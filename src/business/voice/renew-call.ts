/**
 * Keeps a simulated call that stays up paid: by jobs, so that an advance of the sandbox's clock stops at each end of
 * what is paid, and extends or cuts the call there. Real calls measure their time themselves (b2bua/meter.ts).
 */
import type { Environment } from '../../engines/environment.ts';
import { handle, type TaskContext } from '../../engines/jobs/handler.ts';
import { defineTask } from '../../engines/jobs/task.ts';
import { type Amount, parseAmount } from '../money/decimal.ts';
import { type Call, readCall } from './call.ts';
import { endCallById } from './end-elsewhere.ts';
import type { InboundCall } from './inbound/call.ts';
import { inbound } from './inbound/direction.ts';
import { later } from './moment.ts';
import { cutFor, extend, extensionWish } from './reservation.ts';
import { longestCallSeconds, secondsFor } from './tariff.ts';

const renewCallTask = defineTask<{ call_id: string }>('voice.renew_call', { priority: 'orders', isUpkeep: true });

/** `paidSeconds` from the answer on; null for a free call, which needs no job. */
export async function scheduleRenewal(env: Environment, call: Call, paidSeconds: number | null): Promise<void> {
  if (call.timeConnect === null || paidSeconds === null || paidSeconds >= longestCallSeconds) return;
  await env.jobs.add(env.db, renewCallTask, { call_id: call.id }, { at: later(call.timeConnect, paidSeconds) });
}

export const renewCall = handle(renewCallTask, async ({ call_id }, { env }: TaskContext<Environment>) => {
  const row = await env.db
    .selectFrom('open_calls')
    .select(['call', 'held'])
    .where('id', '=', call_id)
    .executeTakeFirst();
  if (row === undefined) return;
  const { call } = readCall<InboundCall>(row.call);
  const tariff = inbound.tariff(call);
  const before = parseAmount(row.held);
  const held = await extend(env, call.id, extensionWish(env, tariff, before));
  if (held === null) return;
  const paidEnd = (amount: Amount) => later(call.timeConnect ?? call.timeStart, secondsFor(tariff, amount));
  if (typeof held === 'string') await endCallById(env, call.id, cutFor(held), () => paidEnd(before));
  else await scheduleRenewal(env, call, secondsFor(tariff, held));
});
