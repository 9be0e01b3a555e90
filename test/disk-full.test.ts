/** A disk that is full while a world is made: a clear error, nothing half made, and the server and its worlds go on. */
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createBench } from './support/boot.ts';
import { type MadeWorld, send, WorldClient } from './support/world-client.ts';

const { start, bootstrapFile, folder } = createBench();
const mounted: string[] = [];
afterAll(() => {
  for (const place of mounted) spawnSync('umount', ['-l', place]);
});

const key = 'the key of the account acme';
const mebibyte = 2 ** 20;

it('is one sentence on a first start, which makes nothing', async () => {
  const data = path.join(folder(), 'small', 'data');
  await mkdir(data, { recursive: true });
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=60m', 'tmpfs', data], { encoding: 'utf8' });
  if (mount.status !== 0) return void process.stdout.write(`no disk could be filled: ${mount.stderr}\n`);
  mounted.push(data);
  await chmod(data, 0o755);
  const server = await start('small');
  expect(await server.ended()).toBe(1);
  expect(server.stderr().trim()).toMatch(
    /^The disk of \S+ has \d+ MiB left, and a new database needs 256 MiB; make room, .*\.$/,
  );
});

it('is a clear error', async () => {
  const data = path.join(folder(), 'full', 'data');
  await mkdir(data, { recursive: true });
  // A disk of its own for the data folder. Where nobody may mount one, src/interfaces/worlds/databases.test.ts proves
  // the text alone.
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=320m', 'tmpfs', data], { encoding: 'utf8' });
  if (mount.status !== 0) return void process.stdout.write(`no disk could be filled: ${mount.stderr}\n`);
  mounted.push(data);
  await chmod(data, 0o755);
  const server = await start('full', {
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_BOOTSTRAP: await bootstrapFile(key),
    TRUNKLINE_WORLDS_READY: '0',
  });
  const root = (await server.ready()).environments.sandbox?.url ?? '';
  const owner = { 'api-key': key };
  const make = () => send<MadeWorld>('POST', `${root}/sandbox/v1/worlds`, owner, { from: 'empty' });
  const first = new WorldClient(await make());

  const { bavail, bsize } = await statfs(data);
  const ballast = path.join(data, 'ballast');
  await writeFile(ballast, Buffer.alloc(bavail * bsize - 3 * mebibyte));
  // Without the patience of other tests, which send again what a busy server has refused for now.
  const refusal = async (what: string, body: object) => {
    const headers = { ...owner, 'content-type': 'application/json' };
    const response = await fetch(`${root}/sandbox/v1/${what}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return `${response.status} ${await response.text()}`;
  };
  expect(await refusal('worlds', { from: 'empty' })).toBe(
    '503 {"error":"The database server cannot make a world: its disk is full.","outcome":"nothing_changed"}',
  );
  expect(await refusal('snapshots', { name: 'full', world: first.made.id })).toContain('its disk is full');
  const readiness = async () => {
    const response = await fetch(`${root}/readyz`);
    return [response.status, ((await response.json()) as { database: string }).database];
  };
  expect(await readiness()).toEqual([503, 'disk_full']);
  // Its neighbours have felt nothing of it.
  await expect(first.v3('GET', '/balance')).resolves.toBeDefined();

  await rm(ballast);
  expect(await readiness()).toEqual([200, 'ok']);
  await make();
  const { worlds } = await send<{ worlds: object[] }>('GET', `${root}/sandbox/v1/worlds`, owner);
  const { snapshots } = await send<{ snapshots: object[] }>('GET', `${root}/sandbox/v1/snapshots`, owner);
  expect([worlds.length, snapshots]).toEqual([2, []]);
});
