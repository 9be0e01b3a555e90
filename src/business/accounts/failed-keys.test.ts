/** An address that tries wrong keys is slowed down. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { shippedFailureLimit } from './failed-authentication.ts';

const server = useOpened(() => startTestServer({ name: 'production', server: { trustedProxies: ['127.0.0.1'] } }));

const ask = (key: string, address: string) =>
  server.client.with({ key }).get('/balance', { headers: { 'x-forwarded-for': address } });

test('an address that tries too many wrong keys is refused for a while, and no other address', async () => {
  const { limit = 0, seconds = 0 } = shippedFailureLimit.production ?? {};
  for (let attempt = 0; attempt < limit; attempt++) {
    expect((await ask(`wrong key ${attempt}`, '192.0.2.1')).status).toBe(401);
  }
  const refused = await ask(server.key, '192.0.2.1');
  expect([refused.status, refused.errors[0]?.code]).toEqual([429, '429']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(seconds);
  expect((await ask(server.key, '192.0.2.2')).status).toBe(200);
});
