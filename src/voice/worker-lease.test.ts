import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { heartbeat } from './worker-lease.ts';

let house: TestEnvironment;
beforeAll(async () => {
  house = await createTestEnvironment();
});
afterAll(() => house.close());

it('beats while requests keep every connection of the pool', async () => {
  const { pool } = house.env;
  const busy = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  const id = '0190163d-8694-739b-aea5-966c26f8ad90';
  await heartbeat(house.env, id);
  await heartbeat(house.env, id);
  expect(pool.waitingCount).toBe(0);
  for (const client of busy) client.release();
  const { rows } = await pool.query('select beat from voice_workers where id = $1', [id]);
  expect(rows).toEqual([{ beat: 1 }]);
});
