/**
 * The server is killed under a load of calls, again and again: no call is left without its end, no channel stays taken.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey } from '../../src/business/accounts/api-keys.ts';
import { connectionOf } from '../../src/engines/db/pool.ts';
import { checkedFetch } from '../support/checked-fetch.ts';
import { createTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createTelephony } from '../support/telephony.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';

const rounds = 2;
const clientCount = 8;
/** Some calls are up, some ringing, some being written when it happens. */
const scripts = [
  { outcomes: [{ code: 200, ring_seconds: 2 }], talk_seconds: 30 },
  { outcomes: [{ code: 486 }, { code: 200 }], talk_seconds: 5 },
  { outcomes: [{ code: 200 }], talk_seconds: null },
  { outcomes: [{ code: 603 }], talk_seconds: 1 },
];

let folder: string;
let house: TestEnvironment;
let receiver: Receiver;
let key: string;
let number: string;
let server: Trunkline | null = null;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-voice-crash-'));
  house = await createTestEnvironment({ at: new Date().toISOString() });
  receiver = await startReceiver();
  const telephony = await createTelephony(house.env);
  const accountId = await telephony.account({ callEvents: { url: `${receiver.url}/events`, gzip: false } });
  const group = await telephony.trunkGroup(accountId);
  for (const priority of [1, 2]) {
    await telephony.trunk(
      accountId,
      { priority, voice_in_trunk_group_id: group },
      { rerouting_disconnect_code_ids: [90] },
    );
  }
  number = (await telephony.did(accountId, { voice_in_trunk_group_id: group, channels_included_count: 100_000 }))
    .number;
  key = (await createApiKey(house.env, accountId, { name: 'crash' })).key;
});

afterAll(async () => {
  await server?.stop();
  await receiver.close();
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<string> {
  server = startTrunkline(folder, {
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_LOG_LEVEL: 'warn',
    SANDBOX_DATABASE_URL: connectionOf(house.env.pool),
    TRUNKLINE_SERVER_KEY: house.env.serverKey.reveal(),
  });
  return (await server.ready()).environments.sandbox?.url ?? '';
}

/** Calls until the server is gone; answers the ids of those that were acknowledged, and tells of each as it is. */
async function callAndCall(url: string, client: number, tell: () => void): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let call = client; ; call++) {
    try {
      const response = await checkedFetch(`${url}/sandbox/v1/calls`, {
        method: 'POST',
        headers: { 'api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ did_number: number, src_number: '15550100', script: scripts[call % scripts.length] }),
      });
      const { id }: { id: string } = JSON.parse(await response.text());
      acknowledged.push(id);
      tell();
    } catch (error) {
      if (error instanceof TypeError) return acknowledged;
      throw error;
    }
  }
}

const countOf = async (text: string): Promise<number> =>
  (await house.env.pool.query<{ n: number }>(text)).rows[0]?.n ?? 0;

test('every call that started ends once in the CDRs and at least once in the events, and gives its channel back', async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const url = await start();
    let calls = 0;
    const tell = () => void calls++;
    const clients = Array.from({ length: clientCount }, (_, client) => callAndCall(url, client, tell));
    await sleep(500 + Math.random() * 1500);
    await expect.poll(() => calls, { timeout: 60_000 }).toBeGreaterThan(5);
    await server?.stop('SIGKILL');
    acknowledged.push(...(await Promise.all(clients)).flat());
  }
  expect(await countOf('select count(*)::int as n from open_calls')).toBeGreaterThan(0);

  await start();
  await expect
    .poll(() => countOf('select count(*)::int as n from open_calls'), { timeout: 60_000, interval: 200 })
    .toBe(0);
  await expect
    .poll(() => countOf('select count(*)::int as n from call_events where due_at is not null'), {
      timeout: 60_000,
      interval: 200,
    })
    .toBe(0);

  const received = receiver.received.map(({ body }): { type: string; id: string } => JSON.parse(body));
  const started = new Set(received.filter(({ type }) => type === 'incoming-call-start-event').map(({ id }) => id));
  for (const id of acknowledged) expect(started.has(id)).toBe(true);
  const { rows } = await house.env.pool.query<{ call_id: string; ends: number }>(
    'select call_id, count(*) filter (where is_last)::int as ends from cdrs_in group by call_id',
  );
  expect(new Set(rows.map(({ call_id }) => call_id))).toEqual(started);
  expect(rows.filter(({ ends }) => ends !== 1)).toEqual([]);
  for (const [id, events] of Map.groupBy(received, (event) => event.id)) {
    const first = [...new Set(events.map(({ type }) => type))];
    expect([id, first.at(0), first.at(-1)]).toEqual([id, 'incoming-call-start-event', 'incoming-call-end-event']);
  }
  expect(started.size).toBeGreaterThan(rounds * 5);
});
