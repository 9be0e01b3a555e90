/**
 * Worlds made, used and ended, one after another and sixteen at a time: nothing is left of them, neither databases,
 * connections, memory nor files, and no request fails. TRUNKLINE_TEST_WORLDS=200 makes as many; the suite makes fewer.
 */
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ask, createBench } from './support/boot.ts';
import { type MadeWorld, send, useWorldOnce, WorldClient } from './support/world-client.ts';

const { start, migratedDatabases, bootstrapFile, folder } = createBench();

const key = 'the key of the account acme';
const worlds = Number(process.env.TRUNKLINE_TEST_WORLDS ?? 48);
const atATime = 16;
/** The first ones also fill caches and compile code, so what is left is compared from there on. */
const first = 2 * atATime;
const inARow = Math.ceil((worlds - first) * 0.4);
const inParallel = worlds - first - inARow;
/**
 * How much more the heap may hold after all of them: what it differs by anyway. A world as a whole takes some
 * megabytes.
 */
const mostBytesLeft = 1_500_000;
/** What V8 and the allocator keep for later, with sixteen worlds open before and after. */
const mostResident = 1.5;

it('leave nothing behind', { timeout: 1_200_000 }, async () => {
  const databases = await migratedDatabases();
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
    // Ended ones are dropped when nobody makes worlds any more.
    await expect.poll(() => count('worlds'), { timeout: 60_000 }).toBe(4);
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

  const liveTogether = async (count: number): Promise<void> => {
    let left = count;
    const one = async () => {
      while (left-- > 0) await live();
    };
    await Promise.all(Array.from({ length: atATime }, one));
  };

  await liveTogether(first);
  const before = await holdings();
  for (let made = 0; made < inARow; made++) await live();
  await liveTogether(inParallel);
  let after = await holdings();
  // What timers and open connections still hold is let go some seconds later; what is kept stays.
  await expect
    .poll(
      async () => {
        after = await holdings();
        process.stdout.write(`${first} and ${worlds} worlds: ${JSON.stringify([before, after])}\n`);
        return after.heapUsed - before.heapUsed;
      },
      { timeout: 60_000, interval: 3_000 },
    )
    .toBeLessThan(mostBytesLeft);
  expect(after.rss / before.rss).toBeLessThan(mostResident);
  expect(after.files).toBeLessThanOrEqual(before.files + 4);
  expect(after.ownFiles).toBe(before.ownFiles);
  // The four that are kept ready stay.
  expect(await count(`pg_database where ${ofWorlds}`)).toBe(4);
  expect(await count('worlds')).toBe(4);
  // Other tests make databases on this server meanwhile: their folders are there before them, and after them.
  const ownerless = "pg_ls_dir('base') as d where d ~ '^\\d+$' and d::oid not in (select oid from pg_database)";
  await expect.poll(() => count(ownerless)).toBe(0);
});
