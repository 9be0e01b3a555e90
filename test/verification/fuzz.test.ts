/** Malformed requests in large numbers get documented responses. */
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { VerificationClient } from '../support/verification-client.ts';
import { startVerificationServer, type VerificationServer } from '../support/verification-server.ts';

/** Random malformed requests over a raw socket: only documented answers, no 500, nothing left behind in memory. */
/** FUZZ_SEED=… repeats a run, FUZZ_REQUESTS=20000 is a long one. */
const requestCount = Number(process.env.FUZZ_REQUESTS ?? 3_000);
const fuzzSeed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const documentedStatuses = new Set([200, 201, 204, 400, 401, 402, 404, 422, 429]);
/** What HTTP itself answers to what is no HTTP: a broken head, a head that is too long, a body of an unknown coding. */
const ofHttp = new Set([400, 408, 413, 414, 417, 431, 501, 505]);

let server: VerificationServer;
let clients: VerificationClient[];
beforeAll(async () => {
  server = await startVerificationServer();
  clients = [
    await server.client({}, 'public'),
    await server.client({}, 'basic'),
    await server.client({}, 'application'),
  ];
});
afterAll(() => server.close());

it(`${requestCount} malformed requests get documented answers (FUZZ_SEED=${fuzzSeed})`, async () => {
  const seen = new Map<number, number>();
  const samples = fc.sample(rawRequest(), { seed: fuzzSeed, numRuns: requestCount });
  const half = requestCount / 2;
  await send(samples.slice(0, half), seen);
  const before = await restingMemory();
  await send(samples.slice(half), seen);
  const grown = (await restingMemory()) - before;

  expect(seen.get(500) ?? 0).toBe(0);
  expect([...seen.keys()].filter((status) => !documentedStatuses.has(status) && !ofHttp.has(status))).toEqual([]);
  // Not everything may bounce off the door: each layer was reached.
  for (const status of [400, 401, 404, 422]) expect(seen.get(status) ?? 0).toBeGreaterThan(10);
  expect(grown).toBeLessThan(8 * 1024 * 1024);
  const alive = await clients[1]?.start({ destination: '+4915112345678', delivery_method: 'sms' });
  expect(alive?.status).toBe(201);
}, 240_000);

/** What may stand in a request line without ending it. */
const visible = (text: string) => text.replace(/[^!-~]/g, '');

interface RawRequest {
  bytes: Buffer;
}

function rawRequest(): fc.Arbitrary<RawRequest> {
  const anything = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom('', '\0', '\u00ff', '{{CODE}}', "'; drop table verifications; --", '%', '%00', '../..', '1e400'),
  );
  const path = fc.oneof(
    { weight: 6, arbitrary: fc.constant('/api/v1/verifications') },
    {
      weight: 3,
      arbitrary: anything.map((text) => `/api/v1/verifications/${encodeURIComponent(text.toWellFormed())}`),
    },
    {
      weight: 2,
      arbitrary: anything.map((text) => `/api/v1/verifications/by_number/${visible(text)}`),
    },
    { weight: 1, arbitrary: anything.map((text) => `/api/v1/${visible(text)}`) },
  );
  const method = fc.constantFrom(
    'POST',
    'POST',
    'POST',
    'GET',
    'PATCH',
    'PUT',
    'DELETE',
    'OPTIONS',
    'HEAD',
    'TRACE',
    'SEARCH',
  );
  const field = fc.oneof(
    anything,
    fc.json(),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(anything, { maxLength: 3 }),
  );
  const json = fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .record(
          {
            destination: field,
            delivery_method: fc.oneof(fc.constantFrom('sms', 'callout'), field),
            code: field,
            sms: fc.oneof(field, fc.record({ languages: field, app_hash: field }, { requiredKeys: [] })),
            callout: fc.oneof(field, fc.record({ languages: field }, { requiredKeys: [] })),
          },
          { requiredKeys: [] },
        )
        .map((data) => JSON.stringify({ data })),
    },
    fc.json(),
    anything,
    fc.integer({ min: 1, max: 70_000 }).map((size) => `{"data":{"destination":"${'1'.repeat(size)}"}}`),
    fc.integer({ min: 1, max: 3000 }).map((depth) => `{"data":${'['.repeat(depth)}${']'.repeat(depth)}}`),
  );
  const body = fc.oneof(
    { weight: 8, arbitrary: json.map((text) => Buffer.from(text)) },
    fc.uint8Array({ maxLength: 60 }).map(Buffer.from),
  );
  const headerText = anything.map((text) => text.replace(/[\r\n\0]/g, ''));
  const contentType = fc.oneof(
    fc.constantFrom('application/json', 'application/json; charset=utf-8', 'application/json', 'text/plain', '///'),
    headerText,
  );
  const authorization = fc.oneof(
    { weight: 6, arbitrary: fc.nat(2).map((index) => ({ index })) },
    headerText,
    headerText.map((text) => `Application ${text}`),
    headerText.map((text) => `Application ${text}:${text}`),
    headerText.map((text) => `Basic ${Buffer.from(text).toString('base64')}`),
  );
  const more = fc.array(
    fc.tuple(
      fc.constantFrom('x-timestamp', 'x-request-id', 'accept', 'origin', 'x-user-agent', 'content-encoding'),
      headerText,
    ),
    { maxLength: 3 },
  );
  const damage = fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, fc.nat());
  return fc
    .record({ method, path, body, contentType, authorization, more, damage })
    .map((parts) => ({ bytes: assemble(parts) }));
}

interface Parts {
  method: string;
  path: string;
  body: Buffer;
  contentType: string;
  authorization: string | { index: number };
  more: [string, string][];
  damage: number | null;
}

function assemble({ method, path, body, contentType, authorization, more, damage }: Parts): Buffer {
  const known = typeof authorization === 'string' ? undefined : clients[authorization.index];
  const signed = known?.headers(method, path, body.toString('utf8'));
  const headers: [string, string][] = [
    ['host', 'x'],
    ['connection', 'close'],
    ['content-length', String(body.length)],
    ['content-type', contentType],
    ['authorization', signed?.authorization ?? (typeof authorization === 'string' ? authorization : '')],
    ...(signed?.['x-timestamp'] === undefined ? [] : ([['x-timestamp', signed['x-timestamp']]] as [string, string][])),
    ...more,
  ];
  const head = `${method} ${path} HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  const bytes = Buffer.concat([Buffer.from(head, 'latin1'), body]);
  // Sometimes one byte of the headers is another one; the path stays, or it would be another room's request.
  const line = head.indexOf('\n');
  if (damage !== null) bytes[line + (damage % (head.length - line))] = damage % 256;
  return bytes;
}

/** A dozen connections at a time; each is closed by its end or given up when the request was never complete. */
async function send(requests: RawRequest[], seen: Map<number, number>): Promise<void> {
  const queue = [...requests];
  await Promise.all(
    Array.from({ length: 12 }, async () => {
      for (let request = queue.pop(); request !== undefined; request = queue.pop()) {
        const status = await exchange(request.bytes);
        if (status !== null) seen.set(status, (seen.get(status) ?? 0) + 1);
      }
    }),
  );
}

function exchange(bytes: Buffer): Promise<number | null> {
  return new Promise((resolve) => {
    const { port, hostname } = new URL(server.url);
    let response = '';
    const socket: Socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      response += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(response)?.[1];
      resolve(status === undefined ? null : Number(status));
    });
    socket.setTimeout(120_000, () => socket.destroy());
  });
}

setFlagsFromString('--expose_gc');
const collect: () => void = runInNewContext('gc');

async function restingMemory(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    collect();
  }
  return process.memoryUsage().heapUsed;
}
