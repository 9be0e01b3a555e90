/**
 * What a kind of job is called, carries and needs. A room declares a task beside its handler (handler.ts), or in
 * `tasks.ts` where code that adds the job must not import what the job does.
 */
import type { Actor } from '../../base/actor.ts';

/** Which jobs go first when there are more than the workers can take. */
type PriorityClass = 'codes' | 'orders' | 'events' | 'callbacks' | 'background';

interface TaskOptions {
  readonly priority: PriorityClass;
  /**
   * Whether a run waits for somebody else's server. Such tasks have workers of their own, so that a slow receiver holds
   * up no order.
   */
  readonly outward?: boolean;
  /** Whether its jobs go on as long as something lasts, so that a sandbox with such jobs only is idle. */
  readonly isUpkeep?: boolean;
  /**
   * Whether its jobs are usually run by the process that adds them (added-job.ts): short work that somebody waits for.
   */
  readonly runsWhereAdded?: boolean;
  /**
   * How many of its jobs run at once in a process, by the kind of lane: the first word of the lanes that a job is added
   * with (lanes.ts). For outward tasks.
   */
  readonly lanes?: Readonly<Record<string, number>>;
}

export interface Task<Payload extends JobPayload = JobPayload> {
  /** `room.verb`, stored with each job. */
  readonly name: string;
  readonly priority: PriorityClass;
  readonly outward: boolean;
  readonly isUpkeep: boolean;
  readonly runsWhereAdded: boolean;
  readonly lanes: Readonly<Record<string, number>>;
  /** Never set: it makes tasks with different payloads different types. */
  readonly payload?: Payload;
}

/** One run of a job. */
export interface JobRun {
  /** When the job fell due; `env.clock.now()` is never before it. */
  readonly dueAt: Date;
  /** 1 the first time. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /**
   * Aborted as soon as the process begins to stop. A job of many small steps calls `throwIfAborted` between two of them
   * and is returned to the queue.
   */
  readonly stopping: AbortSignal;
  /** Aborted when the process stops and cannot wait any longer. */
  readonly signal: AbortSignal;
}

/** What is stored with a job, as JSON. Use a type alias: an interface is not assignable to it. */
export type JobPayload = Readonly<Record<string, string | number | boolean | null>>;

export type NoPayload = Record<string, never>;

export function defineTask<Payload extends JobPayload = NoPayload>(name: string, options: TaskOptions): Task<Payload> {
  const { priority, outward = false, isUpkeep = false, runsWhereAdded = false, lanes = {} } = options;
  return { name, priority, outward, isUpkeep, runsWhereAdded, lanes };
}

/** The actor of what a job of this task changes. */
export const jobActor = ({ name }: Pick<Task, 'name'>): Actor => ({ kind: 'job', id: name });

/** As the queue counts: the lowest number first. Jobs that SQL functions add without one are `background`. */
const priorities: Readonly<Record<PriorityClass, number>> = {
  codes: -40,
  orders: -30,
  events: -20,
  callbacks: -10,
  background: 0,
};

export function priorityOf(task: Task): number {
  return priorities[task.priority];
}
