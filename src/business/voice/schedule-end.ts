/**
 * Plans the end of all calls of an account, apart from what ends them (end-elsewhere.ts): that would load all of
 * routing.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { Environment } from '../../engines/environment.ts';
import { defineTask } from '../../engines/jobs/task.ts';

export const endAccountCallsTask = defineTask<{ account_id: string }>('voice.end_account_calls', {
  priority: 'orders',
});

/** Calls that were being routed while the account was suspended are up by then. */
const latecomersMs = 5_000;

/** Called in the transaction that suspends an account. */
export async function scheduleEndOfCalls(trx: Kysely<Schema>, env: Environment, accountId: string): Promise<void> {
  const now = env.clock.now();
  for (const at of [now, new Date(now.getTime() + latecomersMs)]) {
    await env.jobs.add(trx, endAccountCallsTask, { account_id: accountId }, { at });
  }
}
