/** The job that delivers a lane's retries when they fall due, so that an advance of the sandbox's clock stops there. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../environment.ts';
import { handle, type TaskContext } from '../../jobs/handler.ts';
import { delivererOf } from '../start.ts';
import { type DeliverEvents, deliverEventsTask } from '../tasks.ts';
import { addDelivery } from './deliverer.ts';
import type { Lane } from './queue.ts';
import { dueLanes } from './queue.ts';

/** Another process may be delivering the lane; then this one waits until nothing of it is due any more. */
async function deliver({ account_id, stream }: DeliverEvents, { env, signal }: TaskContext): Promise<void> {
  const lane: Lane = { accountId: account_id, stream };
  const deliverer = delivererOf(env);
  do {
    await deliverer.deliver(lane);
    const due = await dueLanes(env);
    if (!due.some(({ accountId, stream }) => accountId === lane.accountId && stream === lane.stream)) return;
    await sleep(20);
  } while (!signal.aborted);
}

/** Events are first delivered without a job. An advance that did not wait for that would pass by their retries. */
async function collect(env: Environment): Promise<number> {
  const lanes = await dueLanes(env);
  for (const lane of lanes) await addDelivery(env, lane);
  return lanes.length;
}

export const deliverDueEvents = handle(deliverEventsTask, deliver, { collect });
