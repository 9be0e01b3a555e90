/** The tasks of the voice room. */
import type { StreamName } from '../db/tables/voice.ts';
import { defineTask } from '../jobs/task.ts';

export type DeliverEvents = { account_id: string; stream: StreamName };

/** Delivers call events whose retry is due. */
export const deliverEventsTask = defineTask<DeliverEvents>('voice.deliver_events', {
  priority: 'events',
  outward: true,
});
export const reviewThresholdTask = defineTask<{ voice_out_trunk_id: string }>('voice.review_threshold', {
  priority: 'orders',
});
