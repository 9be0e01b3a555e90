/** A database that takes questions and gives no answers is worse than one that is gone: pages must not wait for it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { createHttpServer } from './http-server.ts';

let test: TestEnvironment;
let app: Awaited<ReturnType<typeof createHttpServer>>;

beforeAll(async () => {
  test = await createTestEnvironment();
  app = await createHttpServer(test.env, { rooms: [] });
});
afterAll(async () => {
  await app.close();
  await test.close();
});

it('leaves out of the metrics what only the database knows', async () => {
  const client = await test.env.pool.connect();
  await client.query('begin; lock table jobs in access exclusive mode');
  const { statusCode, body } = await app.inject('/metrics');
  expect(statusCode).toBe(200);
  expect(body).toContain('process_cpu_seconds_total');
  expect(body).not.toMatch(/^trunkline_jobs\{/m);
  await client.query('rollback');
  client.release();
  expect((await app.inject('/metrics')).body).toMatch(/^trunkline_jobs\{/m);
});
