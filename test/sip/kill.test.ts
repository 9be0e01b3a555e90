/**
 * kill -9 while real calls are up, in and out: the next start ends them where the process last gave a sign of life,
 * bills no more than that, gives channels and money back, and hangs up both legs.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAmount } from '../../src/business/money/decimal.ts';
import { createCarrier } from '../../src/business/voice/carriers/carriers.ts';
import { addRoute } from '../../src/business/voice/carriers/routes.ts';
import { connectionOf } from '../../src/engines/db/pool.ts';
import { freePort } from '../support/datagrams.ts';
import { createDialers } from '../support/dialers.ts';
import { createTestEnvironment, type TestEnvironment } from '../support/environment.ts';
import { usePhones } from '../support/phones.ts';
import { createTelephony, type Telephony } from '../support/telephony.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';

const openPhone = usePhones();
const prefix = '4930';
let folder: string;
let house: TestEnvironment;
let telephony: Telephony;
let port: number;
const started: Trunkline[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-kill-'));
  house = await createTestEnvironment({ at: new Date().toISOString() });
  telephony = await createTelephony(house.env);
  port = await freePort();
});
afterAll(async () => {
  for (const process of started) await process.stop('SIGKILL');
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

/** At the same port each time, as a service that is started again. */
async function start(): Promise<Trunkline> {
  const process = startTrunkline(folder, {
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_ROLES: 'worker,voice',
    TRUNKLINE_SANDBOX_SIP_PORT: String(port),
    TRUNKLINE_SIP_CHECK_SECONDS: '0',
    TRUNKLINE_LOG_LEVEL: 'warn',
    SANDBOX_DATABASE_URL: connectionOf(house.env.pool),
    TRUNKLINE_SERVER_KEY: house.env.serverKey.reveal(),
  });
  started.push(process);
  await process.ready();
  return process;
}

/** A number with one channel whose trunk is a phone, and a phone that calls it. */
async function inbound(answerAfterMs: number | null) {
  const trunk = await openPhone({ answerAfterMs });
  const accountId = await telephony.account();
  const trunkId = await telephony.trunk(accountId, {}, { host: '127.0.0.1', port: trunk.target.port });
  const did = await telephony.did(accountId, { voice_in_trunk_id: trunkId, channels_included_count: 1 });
  const caller = async () => {
    const phone = await openPhone({ server: { transport: 'UDP', address: '127.0.0.1', port }, user: '442071234567' });
    await phone.phone.call(did.number);
    return phone;
  };
  return { trunk, number: did.number, caller };
}

/** A customer's phone that has called a number at a carrier, which is a phone too. */
async function outbound() {
  const carrier = await openPhone();
  await createCarrier(house.env, { name: 'carrier', host: '127.0.0.1', port: carrier.target.port });
  await addRoute(house.env, { carrier: 'carrier', prefix, priority: 1, weight: 1 });
  const rate = { kind: 'termination', prefix, per_minute: '0.6', country: 'Germany', network: 'Fixed' } as const;
  await house.env.db.insertInto('voice_rates').values(rate).execute();
  const account = { username: 'customer', password: 'p' };
  const authentication = { allowed_sip_ips: ['127.0.0.0/8'], tech_prefix: null, ...account };
  const dialer = await createDialers(house, telephony)({ authentication: JSON.stringify(authentication) });
  const server = { transport: 'UDP', address: '127.0.0.1', port } as const;
  const customer = await openPhone({ server, user: dialer.number, account });
  const before = await moneyOf(dialer.accountId);
  await customer.phone.call(`${prefix}123456`);
  return { carrier, customer, accountId: dialer.accountId, before };
}

const moneyOf = (accountId: string) =>
  house.env.db.selectFrom('accounts').select(['balance', 'held']).where('id', '=', accountId).executeTakeFirstOrThrow();
const rowsOf = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await house.env.pool.query<T>(text, values)).rows;
const callsUp = async () => (await rowsOf('select from open_calls')).length;

interface Cdr {
  time_connect: Date | null;
  time_end: Date;
  duration: number;
  disconnect_code: number;
}

test('calls end where the process was last seen, and everybody is told', async () => {
  const doomed = await start();
  const [answered, ringing] = [await inbound(0), await inbound(null)];
  const [caller, waiting] = [await answered.caller(), await ringing.caller()];
  const out = await outbound();
  await Promise.all([caller.until('answered'), out.customer.until('answered'), waiting.until('progress')]);
  // Its one channel is taken.
  expect(await (await answered.caller()).until('failed')).toMatchObject({ status: 480 });
  const stored = `select from open_calls where jsonb_array_length(call->'dialogs') = 2`;
  await expect.poll(async () => (await rowsOf(stored)).length).toBe(2);
  expect(parseAmount((await moneyOf(out.accountId)).held)).toBeGreaterThan(0n);
  const [first] = await rowsOf<{ beat: number }>('select beat from voice_workers');
  const beats = async () => (await rowsOf<{ beat: number }>('select beat from voice_workers'))[0]?.beat;
  await expect.poll(beats).toBeGreaterThan(Number(first?.beat) + 1);
  await doomed.stop('SIGKILL');
  const [seen] = await rowsOf<{ seen_at: Date }>('select seen_at from voice_workers');
  const lastSeen = seen?.seen_at.getTime() ?? 0;
  expect(await callsUp()).toBe(3);

  await start();
  await expect.poll(callsUp).toBe(0);
  const cdrs = {
    answered: await rowsOf<Cdr>('select * from cdrs_in where did_number = $1 and is_last', [answered.number]),
    ringing: await rowsOf<Cdr>('select * from cdrs_in where did_number = $1', [ringing.number]),
    out: await rowsOf<Cdr & { price: string }>('select * from cdrs_out where account_id = $1', [out.accountId]),
  };
  const lost = cdrs.answered.filter(({ disconnect_code: code }) => code === 500);
  expect([lost.length, cdrs.ringing.length, cdrs.out.length]).toEqual([1, 1, 1]);
  for (const { disconnect_code, time_end, time_connect, duration } of [...lost, ...cdrs.out]) {
    expect(disconnect_code).toBe(500);
    // The next process noticed eight seconds later at the earliest.
    expect(time_end.getTime()).toBe(lastSeen);
    expect(duration).toBeLessThanOrEqual(Math.ceil((lastSeen - Number(time_connect)) / 1000));
  }
  expect(cdrs.ringing).toMatchObject([{ disconnect_code: 500, time_connect: null, duration: 0 }]);
  const after = await moneyOf(out.accountId);
  expect(parseAmount(after.balance)).toBe(parseAmount(out.before.balance) - parseAmount(cdrs.out[0]?.price ?? ''));
  expect(parseAmount(after.held)).toBe(0n);

  // Dialogs of answered calls are rebuilt for their BYE; the one that rang had none.
  for (const phone of [caller, answered.trunk, out.customer, out.carrier]) {
    expect(await phone.until('ended')).toMatchObject({ cause: 'remote' });
  }
  expect(waiting.events.map(({ event }) => event)).not.toContain('ended');

  const again = await answered.caller();
  await again.until('answered');
  again.phone.lastCall?.hangUp();
  await expect.poll(callsUp).toBe(0);
});
