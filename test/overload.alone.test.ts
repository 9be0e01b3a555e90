/**
 * A flood of one account's requests, on the shipped settings: codes and reads of another account are never refused, the
 * flood is told to come back.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount } from '../src/business/accounts/accounts.ts';
import { createApiKey } from '../src/business/accounts/api-keys.ts';
import { connectionOf } from '../src/engines/db/pool.ts';
import { createApplication } from '../src/interfaces/verification/application.writes.ts';
import { createTestEnvironment, type TestEnvironment } from './support/environment.ts';
import { startTrunkline, type Trunkline } from './support/trunkline.ts';
import { VerificationClient } from './support/verification-client.ts';

/** Clients of the flood: three times as many as one account may have requests under way. */
const flooding = 600;
const codes = 10;

let house: TestEnvironment;
let folder: string;
let server: Trunkline;
let url: string;
let key: string;
let otherKey: string;
let client: VerificationClient;

beforeAll(async () => {
  house = await createTestEnvironment();
  const flooder = await createAccount(house.env, { name: 'Flood', balance: '100' });
  key = (await createApiKey(house.env, flooder.id, { name: 'flood' })).key;
  const other = await createAccount(house.env, { name: 'Codes', balance: '100' });
  otherKey = (await createApiKey(house.env, other.id, { name: 'other' })).key;
  const application = await createApplication(house.env, other.id, { name: 'web' });
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-overload-'));
  server = startTrunkline(folder, {
    SANDBOX_DATABASE_URL: connectionOf(house.env.pool),
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_SERVER_KEY: house.env.serverKey.reveal(),
    TRUNKLINE_LOG_LEVEL: 'warn',
  });
  url = (await server.ready()).environments.sandbox?.url ?? '';
  client = new VerificationClient(url, { key: application.key, secret: application.secret.reveal() });
});

afterAll(async () => {
  await server.stop();
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

interface Outcome {
  status: number;
  retryAfter: string | undefined;
}

function read(agent: Agent | undefined, path: string, asKey: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, { agent, headers: { 'api-key': asKey } });
    sent.on('error', reject).on('response', (response) => {
      const outcome = { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
      response.resume().on('end', () => resolve(outcome));
    });
    sent.end();
  });
}

test('codes and reads of another account work while one account floods the platform, which is told to come back', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: flooding });
  const outcomes: Outcome[] = [];
  let isOver = false;
  const flooders = Promise.all(
    Array.from({ length: flooding }, async () => {
      while (!isOver) {
        const outcome = await read(agent, '/v3/dids?include=order,did_group.country', key);
        outcomes.push(outcome);
        if (outcome.status === 503) await sleep(Number(outcome.retryAfter) * 1000);
      }
    }),
  );
  const refused = () => outcomes.filter(({ status }) => status === 503);
  await expect.poll(() => refused().length).toBeGreaterThan(0);
  const starts: number[] = [];
  const reads: number[] = [];
  for (let n = 0; n < codes; n++) {
    const { status } = await client.start({ destination: `+4915112345${100 + n}`, delivery_method: 'sms' });
    starts.push(status);
    reads.push((await read(undefined, '/v3/balance', otherKey)).status);
  }
  isOver = true;
  await flooders;
  agent.destroy();

  expect(starts).toEqual(Array(codes).fill(201));
  expect(reads).toEqual(Array(codes).fill(200));
  expect([...new Set(outcomes.map(({ status }) => status))].sort()).toEqual([200, 503]);
  expect(refused().filter(({ retryAfter }) => retryAfter !== '1')).toEqual([]);
  expect(server.stderr() + server.stdout()).not.toContain('"level":50');
}, 300_000);
