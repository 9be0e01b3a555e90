/**
 * Jobs of a clock that runs faster than the machine's: they run as their time comes, not at the next look of the
 * worker.
 */
import { expect, it } from 'vitest';
import { createProcesses } from '../../../test/support/processes.ts';
import { startQuietWorker } from '../../../test/support/quiet-worker.ts';
import { useOpened } from '../../../test/support/use.ts';
import { SandboxClock } from '../../interfaces/sandbox/clock.ts';
import { handle } from './handler.ts';
import { defineTask } from './task.ts';
import { startWorker } from './worker.ts';

const processes = useOpened(createProcesses);
const inward = defineTask('test.inward', { priority: 'orders' });
const outward = defineTask('test.outward', { priority: 'callbacks', outward: true });
const neverMs = 3_600_000;

it('whatever they wait for', async () => {
  const env = await processes.start();
  if (!(env.clock instanceof SandboxClock)) throw new Error('not the sandbox');
  const early: boolean[] = [];
  const note = (task: typeof inward) =>
    handle(task, async (_payload, { dueAt }) => void early.push(env.clock.now() < dueAt));
  const workers = [
    await startWorker(env, { handlers: [note(inward)], pollMs: neverMs }),
    await startQuietWorker(env, note(outward), { pollMs: neverMs }),
  ];
  try {
    const at = new Date(env.clock.now().getTime() + 300_000);
    for (const task of [inward, outward]) await env.jobs.add(env.db, task, {}, { at });
    await env.clock.setFactor(1000);
    await expect.poll(() => early).toEqual([false, false]);
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
});
