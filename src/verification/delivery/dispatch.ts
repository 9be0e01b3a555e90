/** The job behind every pending verification: draws the code, sends it once, and notes how that went. */
import type { Environment } from '../../environment.ts';
import type { TaskHandler } from '../../jobs/tasks.ts';
import { endDispatch, loadDispatch } from './dispatch-state.ts';
import { dispatchToInbox } from './dispatch-to-inbox.ts';
import { dispatchToProviders } from './dispatch-to-providers.ts';

export const dispatchVerification: TaskHandler = async (payload, { env }) => {
  const id = String(payload.verification_id);
  // Nothing in the sandbox reaches a real destination, whatever routes there are.
  if (env.name === 'sandbox') return dispatchToInbox(env, id);
  return dispatchProduction(env, id);
};

async function dispatchProduction(env: Environment, id: string): Promise<void> {
  const dispatch = await loadDispatch(env, id, env.clock.now());
  if (dispatch === null) return;
  if (dispatch.applicationDeleted) return endDispatch(env, id, 'application_deleted');
  await dispatchToProviders(env, dispatch);
}
