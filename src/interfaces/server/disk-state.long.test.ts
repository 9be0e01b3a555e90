/** A full disk of the database: `/readyz` says so until something can be written again. */
import { expect, test } from 'vitest';
import { document } from '../../../test/support/paperwork.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const server = useOpened(() => startTestServer());

test('is told by /readyz, with Retry-After, until something is written again', async () => {
  await server.env.pool.query(`
    create function disk_full() returns trigger language plpgsql as $$
    begin raise 'no space left on device' using errcode = 'disk_full'; end $$;
    create trigger disk_full before insert on voice_in_trunk_groups
      for each row when (new.name = 'no room') execute function disk_full()`);
  const create = async (name: string) =>
    (await server.client.post('/voice_in_trunk_groups', document('voice_in_trunk_groups', { name }))).status;
  const readiness = async () => {
    const response = await fetch(`${server.url}/readyz`);
    return [response.status, response.headers.get('retry-after'), await response.json()];
  };
  expect(await readiness()).toEqual([200, null, { status: 'ok', database: 'ok' }]);
  expect(await create('no room')).toBe(503);
  expect(await readiness()).toEqual([503, '1', { status: 'unavailable', database: 'disk_full' }]);
  expect(await create('room')).toBe(201);
  expect(await readiness()).toEqual([200, null, { status: 'ok', database: 'ok' }]);
});
