/** How rooms plan work for later. */
import type { Kysely, Transaction } from 'kysely';
import type { Schema } from '../db/schema.ts';
import type { JobPayload, Task } from './task.ts';

/** Work to be done after the transaction that causes it, at a time by the environment's clock. */
export interface Jobs {
  /** Adds a job inside `trx`, so that it exists exactly when the facts it is about do. */
  add<Payload extends JobPayload>(
    trx: Kysely<Schema> | Transaction<Schema>,
    task: Task<Payload>,
    payload: NoInfer<Payload>,
    options?: JobOptions,
  ): Promise<void>;
}

export interface JobOptions {
  /** When it falls due by the environment's clock; at once when left out. */
  at?: Date;
  /** A job with the same key that has not started yet is replaced. */
  key?: string;
  /** Jobs of one queue run one after another. */
  queue?: string;
  /** Whom the job waits for; the task says how many of a lane run at once. */
  lanes?: readonly string[];
  maxAttempts?: number;
}
