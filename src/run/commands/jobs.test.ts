/** Commands that list, retry and discard jobs. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { run, runConfirmed } from '../../../test/support/commands.ts';
import { createTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { connectionOf } from '../../engines/db/pool.ts';
import { handle } from '../../engines/jobs/handler.ts';
import { defineTask } from '../../engines/jobs/task.ts';
import { advanceClock } from '../../interfaces/sandbox/advance.ts';
import { createHttpServer } from '../../interfaces/server/http-server.ts';

const failing = defineTask<{ id: string }>('test.failing', { priority: 'orders' });
let house: TestEnvironment;
beforeAll(async () => {
  house = await createTestEnvironment({ at: new Date().toISOString() });
  vi.stubEnv('SANDBOX_DATABASE_URL', connectionOf(house.env.pool));
  vi.stubEnv('TRUNKLINE_SERVER_KEY', house.env.serverKey.reveal());
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await house.close();
});

async function giveUp(id: string): Promise<void> {
  await house.env.jobs.add(house.env.db, failing, { id }, { maxAttempts: 1 });
  const fails = handle(failing, async () => Promise.reject(new Error(`no luck with ${id}`)));
  await advanceClock(house.env, 0, { handlers: [fails] });
}

const ids = async (): Promise<string[]> => (await run('jobs list')).slice(1).map((line) => line.split(' ', 1)[0] ?? '');

test('a job that gave up is listed, shown, run again and removed', async () => {
  expect(await run('jobs list')).toEqual(['There are no jobs that are failed.']);
  await giveUp('one');
  const [heading, line] = await run('jobs list', '--task', 'test.failing');
  expect(heading).toMatch(/^ID +TASK +ATTEMPTS +DUE +LAST ERROR$/);
  expect(line).toMatch(/^\d+ +test\.failing +1 of 1 .* no luck with one$/);
  const [id = ''] = await ids();
  expect((await run('jobs show', id)).join('\n')).toMatch(/test\.failing failed, 1 of 1[\s\S]*\{"id":"one"\}/);

  const app = await createHttpServer(house.env, { rooms: [] });
  // A busy machine may not count within the time that /metrics allows for it.
  const metrics = () => app.inject('/metrics').then(({ body }) => body);
  const labels = 'task="test\\.failing",state="failed",environment="sandbox"';
  await expect.poll(metrics).toMatch(new RegExp(`^trunkline_jobs_backlog\\{${labels}\\} 1$`, 'm'));
  await expect.poll(metrics).toMatch(new RegExp(`^trunkline_jobs_backlog_seconds\\{${labels}\\} [\\d.e+-]+$`, 'm'));
  await app.close();

  expect(await run('jobs retry', '--id', id)).toEqual(['It is run by the next worker that is free.']);
  expect(await ids()).toEqual([]);
  const ran: string[] = [];
  const works = handle(failing, async (payload) => void ran.push(payload.id));
  // The command went by the machine's clock, which has moved on meanwhile.
  await advanceClock(house.env, 3600, { handlers: [works] });
  expect(ran).toEqual(['one']);

  await giveUp('two');
  await giveUp('three');
  expect(await runConfirmed('jobs discard', '--task', 'test.failing')).toEqual(['Removed 2 jobs.']);
  expect(await ids()).toEqual([]);
});

test.each([
  ['jobs show', ['x'], 'There is no job x.'],
  ['jobs retry', ['--id', '999999'], 'There is no such job that gave up'],
  ['jobs retry', [], 'Give either --id or --task, or a time'],
  ['jobs discard', ['--id', '1', '--task', 'a.b', '--reason', 'x'], 'Give either --id or --task, or a time'],
  ['jobs retry', ['--since', 'yesterday'], '--since must be a time'],
  ['jobs list', ['--state', 'lost'], '--state must be "failed" or'],
])('a wrong choice is refused: %#', async (command, words, message) => {
  await expect(run(command, ...words)).rejects.toThrow(message);
});
