/** Starts that take long, or are not wanted any more: what the ports say meanwhile, and what is left of them. */
import { execFileSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { exists } from '../src/base/files.ts';
import { createBench } from './support/boot.ts';
import { freePort } from './support/datagrams.ts';

const { start, folder, bootstrapFile } = createBench();

it('says on its ports how far the recovery of the database is, and serves when it is over', async () => {
  const variables = {
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_SANDBOX_PORT: String(await freePort()),
    TRUNKLINE_SANDBOX_SIP_PORT: 'off',
    TRUNKLINE_BOOTSTRAP: await bootstrapFile('the key of a slow start'),
  };
  const first = await start('slow', variables);
  const url = (await first.ready()).environments.sandbox?.url ?? '';
  expect(await first.stop()).toBe(0);

  // The database reads its statistics before it accepts anybody; here it waits for somebody who writes them.
  const statistics = path.join(folder(), 'slow/data/postgres/cluster/pg_stat/pgstat.stat');
  await rm(statistics);
  execFileSync('mkfifo', ['-m', '666', statistics]);
  const second = await start('slow', variables);
  const get = (place: string) => fetch(`${url}${place}`).catch(() => null);
  await expect.poll(async () => (await get('/readyz'))?.status).toBe(503);
  expect(await (await get('/readyz'))?.json()).toEqual({
    ...{ status: 'unavailable', database: 'recovering', recovery: 'starting' },
  });
  expect((await get('/healthz'))?.status).toBe(200);
  const refused = await get('/v3/balance');
  expect([refused?.status, refused?.headers.get('retry-after')]).toEqual([503, '1']);
  expect(second.stdout()).toContain('"msg":"the embedded database recovers"');

  await writeFile(statistics, '');
  await second.ready();
  expect((await get('/readyz'))?.status).toBe(200);
});

it('ends at once on SIGTERM during a first start, and the next start makes everything', async () => {
  const first = await start('unwanted');
  await expect.poll(() => exists(path.join(folder(), 'unwanted/data'))).toBe(true);
  expect(await first.stop()).toBe(0);
  expect(first.stdout()).not.toContain('is ready after');
  expect(first.stdout()).toContain('stopped before the start was complete');
  expect(first.stderr()).toBe('');
  const home = path.join(folder(), 'unwanted/data/postgres');
  expect((await readdir(home).catch(() => [])).filter((name) => name.startsWith('new-'))).toEqual([]);
  await expect.poll(() => exists(path.join(home, 'cluster/postmaster.pid'))).toBe(false);

  const second = await start('unwanted');
  const { environments } = await second.ready();
  expect(Object.keys(environments)).toEqual(['production', 'sandbox']);
});
