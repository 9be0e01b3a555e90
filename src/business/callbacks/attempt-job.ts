/** The job that attempts a callback. */
import type { Kysely } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import type { Environment } from '../../engines/environment.ts';
import { defineTask } from '../../engines/jobs/task.ts';

export const attemptDeliveryTask = defineTask<{ delivery_id: string }>('deliveries.attempt', {
  priority: 'callbacks',
  outward: true,
  // One account can use only a part of a process's parallel requests, and one receiver only a part of that.
  lanes: { receiver: 8, account: 64 },
});

export interface Receiver {
  account_id: string;
  url: string;
}

/** Adds the job of an attempt. Attempts to one receiver wait for each other; they do not delay other accounts. */
export function addAttempt(
  trx: Kysely<Schema>,
  env: Environment,
  delivery: Receiver & { id: string },
  at: Date,
): Promise<void> {
  const lanes = [receiverLane(delivery), `account ${delivery.account_id}`];
  const options = { at, key: `delivery:${delivery.id}`, lanes };
  return env.jobs.add(trx, attemptDeliveryTask, { delivery_id: delivery.id }, options);
}

/** Includes the account, because many accounts may use receivers of one host. */
export function receiverLane({ account_id, url }: Receiver): string {
  return `receiver ${account_id} ${URL.parse(url)?.origin}`;
}
