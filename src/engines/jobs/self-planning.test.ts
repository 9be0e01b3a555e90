/** Jobs that plan themselves again. */
import { expect, it } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { advanceClock } from '../../interfaces/sandbox/advance.ts';
import { createLogOn } from '../../run/boot/log.ts';
import { handle } from './handler.ts';
import { createJobs } from './queue.ts';
import { defineTask } from './task.ts';

const circling = defineTask<{ id: string }>('test.circling', { priority: 'background' });

const test = useOpened(() => createTestEnvironment({ at: '2026-01-01T00:00:00Z' }));

it('puts off a job that plans itself for now, longer each time, and logs it as an error', async () => {
  const lines: { level: string; task: string; seconds: number }[] = [];
  const log = createLogOn({ write: (line: string) => void lines.push(JSON.parse(line)) }, 'error');
  const env = { ...test.env, jobs: createJobs(test.clock, log) };
  const ranAt: number[] = [];
  const start = test.clock.now().getTime();
  const again = handle(circling, async (payload, { env }) => {
    ranAt.push((env.clock.now().getTime() - start) / 1000);
    await env.jobs.add(env.db, circling, payload, { at: new Date(env.clock.now().getTime() - 1), key: 'k' });
  });
  await env.jobs.add(env.db, circling, { id: '1' });
  expect(lines).toEqual([]);
  await advanceClock(env, 60, { handlers: [again] });
  expect(ranAt).toEqual([0, 1, 3, 7, 15, 31]);
  expect(lines[1]).toMatchObject({ level: 'error', task: 'test.circling', times: 2, seconds: 2 });
});

it('lets a job plan itself for later, and another one for now', async () => {
  const { env } = test;
  const ran: string[] = [];
  const chain = handle(circling, async ({ id }) => {
    ran.push(id);
    if (id === 'a') await env.jobs.add(env.db, circling, { id: 'b' });
    if (id === 'b' && ran.length < 4) {
      await env.jobs.add(env.db, circling, { id: 'b' }, { at: new Date(env.clock.now().getTime() + 1000) });
    }
  });
  await env.pool.query('delete from jobs');
  await env.jobs.add(env.db, circling, { id: 'a' });
  await advanceClock(env, 2, { handlers: [chain] });
  expect(ran).toEqual(['a', 'b', 'b', 'b']);
});
