/** The job that delivers a lane's retries when they fall due, so that an advance of the sandbox's clock stops there. */
import { setTimeout as sleep } from 'node:timers/promises';
import { handle } from '../../jobs/handler.ts';
import { delivererOf } from '../start.ts';
import { deliverEventsTask } from '../tasks.ts';
import type { Lane } from './queue.ts';
import { dueLanes } from './queue.ts';

/** Another process may be delivering the lane; then this one waits until nothing of it is due any more. */
export const deliverDueEvents = handle(deliverEventsTask, async ({ account_id, stream }, { env, signal }) => {
  const lane: Lane = { accountId: account_id, stream };
  const deliverer = delivererOf(env);
  do {
    await deliverer.deliver(lane);
    const due = await dueLanes(env);
    if (!due.some(({ accountId, stream }) => accountId === lane.accountId && stream === lane.stream)) return;
    await sleep(20);
  } while (!signal.aborted);
});
