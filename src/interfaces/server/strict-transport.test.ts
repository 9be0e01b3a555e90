/** HTTPS alone, where the public URL is one of HTTPS. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { taskHandlers } from '../../run/boot/tasks.ts';
import { createHttpServer } from './http-server.ts';
import { operatorRooms, roomsWith } from './rooms.ts';

test('browsers are told to come by HTTPS where the public URL says so, with every response', async () => {
  for (const [publicUrl, told] of [
    ['https://numbers.example.test', 'max-age=31536000'],
    ['http://numbers.example.test', undefined],
    [null, undefined],
  ] as const) {
    const { env, close } = await createTestEnvironment({ publicUrl });
    const app = await createHttpServer(env, { rooms: [...roomsWith(taskHandlers, 'any'), ...operatorRooms] });
    const paths = ['/', '/docs', '/healthz', '/v3/countries', '/api/v1/verifications/x', '/panel/v1/session'];
    for (const url of [...paths, '/operator/v1/accounts', '/sandbox/v1/clock', '/nothing', '/v3/%']) {
      const { headers } = await app.inject({ url });
      expect([publicUrl, url, headers['strict-transport-security']]).toEqual([publicUrl, url, told]);
    }
    await app.close();
    await close();
  }
});
