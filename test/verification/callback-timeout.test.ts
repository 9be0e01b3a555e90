/** An approval callback that never answers is given up. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { startVerificationServer } from '../support/verification-server.ts';

it('a callback that never answers is given up after 15 seconds, within what clients wait for', async () => {
  const server = await startVerificationServer();
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = silent.address() as AddressInfo;
    const client = await server.client({ callbackUrl: `http://127.0.0.1:${port}/` }, 'basic');
    const began = performance.now();
    const { body } = await client.start({ destination: '4915112345678', delivery_method: 'sms' });
    const seconds = (performance.now() - began) / 1000;
    expect(body.data?.error_code).toBe('denied_invalid_callback_response');
    expect(seconds).toBeGreaterThan(14);
    expect(seconds).toBeLessThan(30);
  } finally {
    silent.closeAllConnections();
    silent.close();
    await server.close();
  }
});
