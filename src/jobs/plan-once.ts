/** Plans work that recurs, such as removing what is out of date. */
import type { Environment } from '../environment.ts';
import type { NoPayload, Task } from './task.ts';

const planned = new WeakMap<Environment, Map<string, string>>();

/**
 * Plans a job without payload once per process and key. Not in the caller's transaction: a keyed job locks its row until
 * the commit, and every other transaction with that key would wait for it.
 */
export async function planOnce(env: Environment, task: Task<NoPayload>, at: Date, key: string): Promise<void> {
  const keys = planned.get(env) ?? new Map<string, string>();
  planned.set(env, keys);
  if (keys.get(task.name) === key) return;
  await env.jobs.add(env.db, task, {}, { at, key: `${task.name}:${key}` });
  keys.set(task.name, key);
}
