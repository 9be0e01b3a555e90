/**
 * The job that delivers due retries of a lane. Because it is a job, an advance of the sandbox clock stops at each
 * retry.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../../environment.ts';
import { handle, type TaskContext } from '../../jobs/handler.ts';
import { delivererOf } from '../start.ts';
import { type DeliverEvents, deliverEventsTask } from '../tasks.ts';
import { addDelivery } from './deliverer.ts';
import type { Lane } from './queue.ts';
import { dueLanes } from './queue.ts';

/** If another process is delivering the lane, waits until nothing in it is due. */
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

/**
 * Adds jobs for all due lanes. First deliveries run without a job; an advance that did not wait for them would skip
 * their retries.
 */
async function collect(env: Environment): Promise<number> {
  const lanes = await dueLanes(env);
  for (const lane of lanes) await addDelivery(env, lane);
  return lanes.length;
}

export const deliverDueEvents = handle(deliverEventsTask, deliver, { collect });
