import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import { platformRoom } from '../platform/v3/routes.ts';
import { verificationRoom } from '../verification/room.ts';
import { createHttpServer } from './http-server.ts';

let house: TestEnvironment;
beforeAll(async () => {
  house = await createTestEnvironment();
});
afterAll(() => house.close());

test('a request that finds no room is 503 with Retry-After in the form of its interface', async () => {
  const none = { platform: 0, perAccount: 0, verification: 0 };
  const app = await createHttpServer(house.env, { rooms: [platformRoom, verificationRoom], inFlight: none });
  const [platform, code, health] = [
    await app.inject('/v3/countries'),
    await app.inject('/api/v1/verifications/x'),
    await app.inject('/healthz'),
  ];
  expect([platform.statusCode, platform.headers['retry-after'], platform.json().errors[0].code]).toEqual([
    503,
    '1',
    '503',
  ]);
  expect([code.statusCode, code.headers['retry-after'], code.json().errors[0].code]).toEqual([
    503,
    '1',
    'service_unavailable',
  ]);
  expect(health.statusCode).toBe(200);
  await app.close();
});
