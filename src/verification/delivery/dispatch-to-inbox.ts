/** The sandbox's delivery: one statement marks the record dispatched and puts the message into the inbox, so exactly once. */
import { runPrepared } from '../../db/prepared.ts';
import { statement } from '../../db/statement.ts';
import type { Environment } from '../../environment.ts';
import { generateCode, hashCode } from '../codes.ts';
import { faultPoint } from '../fault-points.ts';
import { observeDispatch } from '../metrics.ts';
import { knownCode, SLOW_DISPATCH_SECONDS, scenarioOf } from '../sandbox/scenarios.ts';
import { dispatchTask } from '../tasks.ts';
import { pendingAt } from '../unfinished.ts';
import { type Dispatch, endDispatch, loadDispatch, textOf } from './dispatch-state.ts';

export async function dispatchToInbox(env: Environment, id: string): Promise<void> {
  const now = env.clock.now();
  const dispatch = await loadDispatch(env, id, now);
  if (dispatch === null) return;
  if (dispatch.applicationDeleted) return endDispatch(env, id, 'application_deleted');
  const scenario = scenarioOf(dispatch.destination);
  if (scenario === 'dispatch_failed') {
    observeDispatch(env, 'inbox', 'refused', 0);
    return endDispatch(env, id, 'dispatch_failed');
  }
  if (scenario === 'stale') return;
  const slowAt = new Date(dispatch.createdAt.getTime() + SLOW_DISPATCH_SECONDS * 1000);
  if (scenario === 'slow_dispatch' && now < slowAt) {
    return env.jobs.add(env.db, dispatchTask, { verification_id: id }, { at: slowAt });
  }
  const code = scenario === 'known_code' ? knownCode(dispatch.codeLength) : generateCode(dispatch.codeLength);
  faultPoint('dispatch.prepared');
  const began = performance.now();
  await putIntoInbox(env, dispatch, code, now);
  observeDispatch(env, 'inbox', 'sent', (performance.now() - began) / 1000);
  faultPoint('dispatch.committed');
}

async function putIntoInbox(env: Environment, dispatch: Dispatch, code: string, now: Date): Promise<void> {
  const into = statement<object>`
    with dispatched as (
      update verifications
      set code_hash = ${hashCode(env.serverKey, dispatch.id, code)}, dispatch_started_at = ${now}, dispatched_at = ${now}
      where id = ${dispatch.id} and dispatched_at is null and ${pendingAt(now)}
      returning id, account_id, destination, delivery_method, language
    )
    insert into sandbox_messages (verification_id, account_id, destination, delivery_method, language, text, code, created_at)
    select id, account_id, destination, delivery_method, language, ${textOf(dispatch, code)}, ${code}, ${now}
    from dispatched`;
  await runPrepared(env.pool, 'verification_into_inbox', into);
}
