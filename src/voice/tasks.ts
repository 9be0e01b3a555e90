/** The jobs of the voice room. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamName } from '../db/tables/voice.ts';
import type { Tasks } from '../jobs/tasks.ts';
import type { Lane } from './events/lane.ts';
import { dueLanes } from './events/queue.ts';
import { reviewThreshold } from './outbound/threshold.ts';
import { delivererOf } from './start.ts';

/** Retries that fell due. Another process may be at it; then this one waits until nothing is due any more. */
const deliverEvents: Tasks[string] = async (payload, { env, signal }) => {
  const lane: Lane = { accountId: String(payload.account_id), stream: String(payload.stream) as StreamName };
  const deliverer = delivererOf(env);
  do {
    await deliverer.deliver(lane);
    const due = await dueLanes(env);
    if (!due.some(({ accountId, stream }) => accountId === lane.accountId && stream === lane.stream)) return;
    await sleep(20);
  } while (!signal.aborted);
};

export const voiceTasks: Tasks = {
  'voice.deliver_events': deliverEvents,
  'voice.review_threshold': reviewThreshold,
};
