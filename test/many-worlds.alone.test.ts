/**
 * Worlds made, used and ended, one after another and sixteen at a time: nothing is left of them, neither databases,
 * connections, memory nor files, and no request fails. TRUNKLINE_TEST_WORLDS=200 makes as many; the suite makes half of that.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ask, createBench } from './support/boot.ts';
import { type MadeWorld, send, useWorldOnce, WorldClient } from './support/world-client.ts';

const { start, ownDatabases, bootstrapFile, folder } = createBench();

const key = 'the key of the account acme';
const worlds = Number(process.env.TRUNKLINE_TEST_WORLDS ?? 100);
/** The first ones also fill caches, so what is left is compared from there on. */
const inARow = Math.ceil(worlds * 0.4);
const inParallel = worlds - inARow;
const atATime = 16;
/** The job queue's library keeps its options of every pool that there ever was. */
const mostBytesLeft = 100_000;

it('leave nothing behind', { timeout: 600_000 }, async () => {
  const databases = await ownDatabases();
  const report = path.join(folder(), 'memory.json');
  const server = await start('many', {
    ...databases,
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_BOOTSTRAP: await bootstrapFile(key),
    TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 3).toString('base64'),
    TRUNKLINE_WORLDS: '64',
    TRUNKLINE_WORLDS_READY: '4',
    NODE_OPTIONS: `--import ${path.join(import.meta.dirname, 'support/report-memory.ts')}`,
    MEMORY_REPORT: report,
  });
  const root = (await server.ready()).environments.sandbox?.url ?? '';
  const owner = { 'api-key': key };
  const live = async (): Promise<void> => {
    const world = new WorldClient(await send<MadeWorld>('POST', `${root}/sandbox/v1/worlds`, owner, { from: 'empty' }));
    await useWorldOnce(world);
    await send('DELETE', `${root}/sandbox/v1/worlds/${world.made.id}`, owner);
  };
  const count = async (sql: string): Promise<number> =>
    (await ask<{ n: number }>(databases.SANDBOX_DATABASE_URL, `select count(*)::int as n from ${sql}`))[0]?.n ?? -1;
  const ofWorlds = "starts_with(datname, current_database() || '_w_')";
  const holdings = async () => {
    await expect.poll(() => count("worlds where state = 'ready'"), { timeout: 60_000 }).toBe(4);
    // The connections of ended worlds close a moment later.
    await expect.poll(() => count(`pg_stat_activity where ${ofWorlds}`), { timeout: 60_000 }).toBe(0);
    // An open connection keeps what its last request was about: those are about nothing now.
    await Promise.all(Array.from({ length: 2 * atATime }, () => fetch(`${root}/healthz`).then((said) => said.text())));
    await rm(report, { force: true });
    process.kill(server.pid, 'SIGUSR2');
    let text = '';
    await expect
      .poll(async () => {
        text = await readFile(report, 'utf8').catch(() => '');
        return text;
      })
      .toMatch(/}$/);
    const { rss, heapUsed, files }: Record<'rss' | 'heapUsed' | 'files', number> = JSON.parse(text);
    const ownFiles = (await readdir(path.join(folder(), 'many'), { recursive: true })).length;
    return { rss, heapUsed, files, ownFiles };
  };

  for (let made = 0; made < inARow; made++) await live();
  const before = await holdings();
  let left = inParallel;
  await Promise.all(
    Array.from({ length: atATime }, async () => {
      while (left-- > 0) await live();
    }),
  );
  const after = await holdings();

  process.stdout.write(`${inARow} and ${worlds} worlds: ${JSON.stringify([before, after])}\n`);
  expect((after.heapUsed - before.heapUsed) / inParallel).toBeLessThan(mostBytesLeft);
  expect(after.rss / before.rss).toBeLessThan(1.5);
  expect(after.files).toBeLessThanOrEqual(before.files + 4);
  expect(after.ownFiles).toBe(before.ownFiles);
  // The four that are kept ready stay.
  expect(await count(`pg_database where ${ofWorlds}`)).toBe(4);
  expect(await count('worlds')).toBe(4);
  expect(await count("pg_ls_dir('base') as d where d ~ '^\\d+$'")).toBe(await count('pg_database'));
});
