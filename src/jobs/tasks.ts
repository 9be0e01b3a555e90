/** Every kind of job there is: each room declares its own, and they are gathered here by name. */
import { deliveryTasks } from '../callbacks/tasks.ts';
import type { Environment, EnvironmentName } from '../environment.ts';
import { capacityTasks } from '../platform/capacity/tasks.ts';
import { didTasks } from '../platform/dids/tasks.ts';
import { emergencyTasks } from '../platform/emergency/tasks.ts';
import { exportTasks } from '../platform/exports/tasks.ts';
import { orderTasks } from '../platform/orders/tasks.ts';
import { regulationTasks } from '../platform/regulation/tasks.ts';
import { verificationTasks } from '../verification/tasks.ts';
import { voiceTasks } from '../voice/tasks.ts';
import type { JobPayload } from './jobs.ts';

export interface TaskContext {
  readonly env: Environment;
  /** When the job fell due; `env.clock.now()` is never before it. */
  readonly dueAt: Date;
  /** 1 the first time. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Aborted when the process stops and cannot wait any longer. */
  readonly signal: AbortSignal;
}

/** Jobs run at least once: a handler that throws, or whose process is killed, is run again later. */
export type TaskHandler = (payload: JobPayload, context: TaskContext) => Promise<void>;

/** Names are `room.verb`, for example `reservations.expire`. */
export type Tasks = Readonly<Record<string, TaskHandler>>;

export const tasks: Tasks = {
  ...deliveryTasks,
  ...orderTasks,
  ...didTasks,
  ...capacityTasks,
  ...regulationTasks,
  ...emergencyTasks,
  ...verificationTasks,
  ...voiceTasks,
  ...exportTasks,
};

/** Jobs that wait for somebody else's server. They have workers of their own, or slow receivers could hold up orders. */
function goesOutward(task: string, environment: EnvironmentName): boolean {
  // What the sandbox dispatches goes no further than its inbox.
  if (task === 'verification.dispatch') return environment !== 'sandbox';
  return task === 'deliveries.attempt' || task === 'voice.deliver_events';
}

export const outwardTasks = (environment: EnvironmentName): Tasks => some((name) => goesOutward(name, environment));
export const inwardTasks = (environment: EnvironmentName): Tasks => some((name) => !goesOutward(name, environment));

function some(wanted: (name: string) => boolean): Tasks {
  return Object.fromEntries(Object.entries(tasks).filter(([name]) => wanted(name)));
}
