/** Plans work that recurs, such as removing what is out of date. */
import type { JobEnvironment } from './environment.ts';
import type { NoPayload, Task } from './task.ts';

/**
 * Plans a job without payload once per process and key. Not in the caller's transaction: a keyed job locks its row
 * until the commit, and every other transaction with that key would wait for it.
 */
export async function planOnce(env: JobEnvironment, task: Task<NoPayload>, at: Date, key: string): Promise<void> {
  const { planned } = env.jobs;
  if (planned.get(task.name) === key) return;
  await env.jobs.add(env.db, task, {}, { at, key: `${task.name}:${key}` });
  planned.set(task.name, key);
}
