/**
 * What stands behind production's delivery in a test: an SMSC, or an HTTP provider with or without idempotency keys.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import { ServerKey } from '../../src/base/server-key.ts';
import { seal } from '../../src/business/accounts/secret.ts';
import { providerSecretPurpose } from '../../src/interfaces/verification/delivery/provider.ts';
import { openSmsc } from '../support/smsc.ts';

export type Carrier = 'http with idempotency keys' | 'plain http' | 'smpp' | SilentSmpp;

/** An SMSC that leaves the bind, or every message, without a response. */
export type SilentSmpp = 'smpp without bind' | 'smpp without response';

export interface OpenCarrier {
  /** What it has taken, as handsets would get it. */
  messages(): { destination: string; code: string }[];
  close(): Promise<void>;
}

/** The server key of every process in the test. */
export const serverKey = new ServerKey(Buffer.alloc(32, 3));

/** Opens it and makes it the route of every text message. */
export async function openCarrier(carrier: Carrier, pool: pg.Pool): Promise<OpenCarrier> {
  if (carrier.startsWith('smpp')) {
    const smsc = await openSmsc({
      ...(carrier === 'smpp without bind' && { silentBind: true }),
      ...(carrier === 'smpp without response' && { submitStatus: () => null, silentUnbind: true }),
    });
    await route(pool, 'smpp', { host: '127.0.0.1', port: smsc.port, system_id: 'trunkline', timeout_seconds: 60 });
    return {
      messages: () =>
        smsc.messages.map(({ destination, text }) => ({ destination, code: /\d{6}/.exec(text)?.[0] ?? '' })),
      close: () => smsc.close(),
    };
  }
  const idempotent = carrier === 'http with idempotency keys';
  const { url, ...opened } = await openHttp(idempotent);
  const headers = { 'content-type': 'application/json' };
  const body = '{"id":"{{ID}}","to":"{{DESTINATION}}","code":"{{CODE}}"}';
  await route(pool, 'http', { url, headers, body, idempotent });
  return opened;
}

async function openHttp(idempotent: boolean) {
  const taken: { id: string; destination: string; code: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { id, to, code } = JSON.parse(body);
      // Asked again with the same id it does nothing, if it knows idempotency keys.
      if (!idempotent || !taken.some((message) => message.id === id)) taken.push({ id, destination: to, code });
      response.end('taken');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    messages: () => taken,
    url: `http://127.0.0.1:${port}/send`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function route(pool: pg.Pool, kind: 'http' | 'smpp', settings: unknown): Promise<void> {
  await pool.query(
    `with p as (insert into verification_providers (name, kind, settings, sealed_secret, created_at)
                values ('test', $1, $2, $3, '2026-01-01') returning id)
     insert into verification_routes (delivery_method, prefix, provider_id) select 'sms', '', id from p`,
    [kind, JSON.stringify(settings), seal(serverKey, providerSecretPurpose, 'secret')],
  );
}
