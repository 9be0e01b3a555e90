/** The sandbox's delivery: the message goes into the inbox in the transaction that marks it dispatched, so exactly once. */
import type { Environment } from '../../environment.ts';
import { generateCode, hashCode } from '../codes.ts';
import { faultPoint } from '../fault-points.ts';
import { knownCode, SLOW_DISPATCH_SECONDS, scenarioOf } from '../sandbox/scenarios.ts';
import { type Dispatch, endDispatch, loadDispatch, textOf } from './dispatch-state.ts';

export async function dispatchToInbox(env: Environment, id: string): Promise<void> {
  await env.db.transaction().execute(async (trx) => {
    const now = env.clock.now();
    const dispatch = await loadDispatch(trx, id, now, { lock: true });
    if (dispatch === null) return;
    if (dispatch.applicationDeleted) return endDispatch(env, id, 'application_deleted', trx);
    const scenario = scenarioOf(dispatch.destination);
    if (scenario === 'dispatch_failed') return endDispatch(env, id, 'dispatch_failed', trx);
    if (scenario === 'stale') return;
    const slowAt = new Date(dispatch.createdAt.getTime() + SLOW_DISPATCH_SECONDS * 1000);
    if (scenario === 'slow_dispatch' && now < slowAt) {
      return env.jobs.add(trx, 'verification.dispatch', { verification_id: id }, { at: slowAt });
    }
    const code = scenario === 'known_code' ? knownCode(dispatch.codeLength) : generateCode(dispatch.codeLength);
    await trx
      .insertInto('sandbox_messages')
      .values(messageOf(dispatch, code, now))
      .execute();
    faultPoint('dispatch.sent');
    await trx
      .updateTable('verifications')
      .set({ code_hash: hashCode(env.serverKey, id, code), dispatch_started_at: now, dispatched_at: now })
      .where('id', '=', id)
      .execute();
    faultPoint('dispatch.marked');
  });
  faultPoint('dispatch.committed');
}

function messageOf(dispatch: Dispatch, code: string, now: Date) {
  return {
    verification_id: dispatch.id,
    account_id: dispatch.accountId,
    destination: dispatch.destination,
    delivery_method: dispatch.deliveryMethod,
    language: dispatch.language,
    text: textOf(dispatch, code),
    code,
    created_at: now,
  };
}
