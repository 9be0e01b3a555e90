/** The job behind every pending verification: draws the code, sends it once, and notes how that went. */
import type { Environment } from '../../environment.ts';
import { handle } from '../../jobs/handler.ts';
import { dispatchTask } from '../tasks.ts';
import { endDispatch, loadDispatch } from './dispatch-state.ts';
import { dispatchToInbox } from './dispatch-to-inbox.ts';
import { dispatchToProviders } from './dispatch-to-providers.ts';

export const dispatchVerification = handle(dispatchTask, async ({ verification_id: id }, { env, signal }) => {
  // Nothing in the sandbox reaches a real destination, whatever routes there are.
  if (env.name === 'sandbox') return dispatchToInbox(env, id);
  return dispatchProduction(env, id, signal);
});

async function dispatchProduction(env: Environment, id: string, signal: AbortSignal): Promise<void> {
  const dispatch = await loadDispatch(env, id, env.clock.now());
  if (dispatch === null) return;
  if (dispatch.applicationDeleted) return endDispatch(env, id, 'application_deleted');
  await dispatchToProviders(env, dispatch, signal);
}
