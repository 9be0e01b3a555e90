/**
 * Calls of a trunk that belongs to a Twilio account: the header that names the account is nothing without one of
 * Twilio's addresses.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callingOut } from './calling-out.fixture.ts';
import { createWorld, sdp, type World } from './world.fixture.ts';

const sid = `AC${'0a'.repeat(16)}`;
const worlds: Partial<Record<'production' | 'sandbox', World>> = {};
beforeAll(async () => {
  for (const name of ['production', 'sandbox'] as const) worlds[name] = await createWorld({ name });
});
afterAll(() => Promise.all(Object.values(worlds).map((world) => world.close())));

/** What a call from loopback gets that names this account. */
async function call(name: 'production' | 'sandbox', account: string | null) {
  const world = worlds[name] ?? expect.unreachable();
  const authentication = JSON.stringify({ twilio_account_sid: sid });
  await world.world.env.pool.query('delete from voice_out_trunks');
  const {
    customer,
    carrier,
    call: dial,
  } = await callingOut(world, { trunk: { authentication_type: 'twilio', authentication } });
  const headers = account === null ? [] : [['X-Twilio-AccountSid', account] as const];
  dial(undefined, sdp(), headers);
  await expect.poll(() => customer.events.some((event) => /^(answered|failed)/.test(event))).toBe(true);
  if (customer.events.includes('answered')) customer.sessions[0]?.hangUp();
  return {
    last: customer.events.find((event) => /^(answered|failed)/.test(event)),
    dialled: carrier.invites.length,
  };
}

test('in production loopback is not among the networks that Twilio publishes: 403', async () => {
  expect(await call('production', sid)).toMatchObject({ last: 'failed 403', dialled: 0 });
});

test('in the sandbox, which is tried out from its own machine, the account of the header places the call, in any case', async () => {
  expect(await call('sandbox', sid.toLowerCase())).toMatchObject({ last: 'answered', dialled: 1 });
});

test.each([`AC${'0b'.repeat(16)}`, '%', ''])('another account, %j, does not', async (account) => {
  const { last, dialled } = await call('sandbox', account);
  expect([/^failed 40[134]$/.test(last ?? ''), dialled]).toEqual([true, 0]);
});
