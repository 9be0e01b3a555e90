/**
 * Several phones that have registered to one trunk: they ring together, one gets the call, and the others are told
 * where it went.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reasonValue } from './headers.ts';
import { createWorld, type Phone, sdp, type World } from './world.fixture.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

let trunks = 0;

/** A number whose trunk these ports have registered to. */
async function numberOf(ports: readonly number[], options: { columns?: object; q?: readonly number[] } = {}) {
  const { columns = {}, q = ports.map(() => 1) } = options;
  const { env, clock } = world.world;
  const username = `phones${++trunks}`;
  const sip = { host: null, enabled_sip_registration: true, incoming_auth_username: username };
  const { number, accountId } = await world.number([0], { ...sip, incoming_auth_password: 'x' }, columns);
  const expiresAt = new Date(clock.now().getTime() + 3_600_000);
  const bindings = ports.map((port, index) => ({
    ...{ uri: `sip:phone@127.0.0.1:${port}`, expiresAt: expiresAt.getTime(), priority: q[index] },
    ...{ callId: `r${index}`, sequence: 1, path: [] },
    source: { transport: 'UDP', address: '127.0.0.1', port, connection: 0 },
  }));
  await env.pool.query(
    `insert into sip_registrations (username, trunk_id, bindings, expires_at, updated_at)
     select $1, id, $2, $3, $4 from voice_in_trunks where configuration->>'incoming_auth_username' = $1`,
    [username, JSON.stringify(bindings), expiresAt, clock.now()],
  );
  return { number, accountId };
}

const phones = (count: number) => Promise.all(Array.from({ length: count }, () => world.phone()));
const rings = (phone: Phone) => {
  phone.onCall = (call) => call.progress(180);
};
/** Once this is settled. */
const refuses = (phone: Phone, status: number, when: Promise<unknown> = Promise.resolve()) => {
  phone.onCall = async (call) => {
    call.progress(180);
    await when;
    call.reject(status);
  };
};
const endOf = async (number: string, cdrs = 1) => {
  await expect.poll(() => world.cdrs(number)).toHaveLength(cdrs);
  return (await world.cdrs(number)).at(-1);
};

test('all ring, the one that answers has the call, and the others are cancelled because of that', async () => {
  const [caller, first, second] = await phones(3);
  if (!caller || !first || !second) return;
  first.onCall = (call) => call.progress(183, { content: sdp('0') });
  rings(second);
  const { number, accountId } = await numberOf([first.port, second.port]);
  caller.dial(number);
  await expect.poll(() => [first.calls.length, second.calls.length]).toEqual([1, 1]);
  expect(first.invites[0]?.callId).not.toBe(second.invites[0]?.callId);
  const [ringing] = second.calls;
  if (ringing) second.answer(ringing, sdp('8'));
  await expect.poll(() => second.events).toEqual(['ack']);
  await expect.poll(() => first.events).toEqual(['cancelled']);
  // Media of a phone that may not get the call are nothing that the caller could keep to.
  expect(caller.events.toSorted()).toEqual(['180', '183', 'answered']);
  expect(caller.responses.map(({ body }) => String(body).includes('m=audio'))).toEqual([false, false, true]);
  expect(String(caller.responses.at(-1)?.body)).toContain('RTP/AVP 8');
  caller.sessions[0]?.hangUp();
  await expect.poll(() => second.events.at(-1)).toBe('ended remote');
  const cdr = await endOf(number);
  expect(cdr).toMatchObject({ disconnect_code: 200, leg_call_id: second.invites[0]?.callId });
  const events = await world.events(accountId);
  expect(events.map(({ body }) => body.attributes.call_id)).toEqual([undefined, cdr?.leg_call_id, cdr?.leg_call_id]);
});

test('CANCEL says that the call was answered elsewhere; a phone that answers at the same moment is hung up', async () => {
  const [caller, first, second] = await phones(3);
  if (!caller || !first || !second) return;
  rings(first);
  rings(second);
  const seen: string[] = [];
  world.endpoint.taps.add({ message: ({ direction, bytes }) => direction === 'out' && seen.push(String(bytes)) });
  const { number } = await numberOf([first.port, second.port]);
  caller.dial(number);
  await expect.poll(() => [first.calls.length, second.calls.length]).toEqual([1, 1]);
  for (const phone of [first, second]) for (const call of phone.calls) phone.answer(call);
  await expect.poll(() => [...first.events, ...second.events].toSorted()).toEqual(['ack', 'ack', 'ended remote']);
  await expect.poll(() => world.switchboard.size).toBe(1);
  caller.sessions[0]?.hangUp();
  expect(await endOf(number)).toMatchObject({ disconnect_code: 200, success: true });

  rings(first);
  second.onCall = (call) => void second.answer(call);
  caller.dial(number);
  await expect.poll(() => first.events.at(-1)).toBe('cancelled');
  const cancel = seen.find((message) => message.startsWith('CANCEL') && message.includes(String(first.port)));
  expect(cancel).toContain(`Reason: ${reasonValue(200, 'Call completed elsewhere')}`);
  await expect.poll(() => caller.sessions).toHaveLength(2);
  caller.sessions[1]?.hangUp();
  await endOf(number, 2);
});

test.each([
  ['busy: the others ring on', 486, 'answers', 'answered'],
  ['declined for all phones (6xx)', 603, 'rings', 'failed 603'],
  ['gone without a trace: nobody waits for it', null, 'answers', 'answered'],
] as const)('one phone is %s', async (_, status, then, outcome) => {
  const [caller, one, other] = await phones(3);
  if (!caller || !one || !other) return;
  const othersTurn = new Promise<void>((resolve) => {
    other.onCall = (call) => {
      call.progress(180);
      resolve();
    };
  });
  if (status !== null) refuses(one, status, othersTurn);
  else await one.close();
  const { number } = await numberOf([one.port, other.port]);
  caller.dial(number);
  await expect.poll(() => other.calls.length).toBe(1);
  if (then === 'answers') for (const call of other.calls) other.answer(call);
  await expect.poll(() => caller.events.at(-1)).toBe(outcome);
  if (then === 'rings') await expect.poll(() => other.events).toEqual(['cancelled']);
  caller.sessions[0]?.hangUp();
  await endOf(number);
});

test('when all refuse, the reason that says most is the reason of the attempt', async () => {
  const [caller, away, busy] = await phones(3);
  if (!caller || !away || !busy) return;
  refuses(away, 480);
  refuses(busy, 486);
  const { number } = await numberOf([away.port, busy.port]);
  caller.dial(number);
  await expect.poll(() => caller.events.at(-1)).toBe('failed 486');
  expect(await endOf(number)).toMatchObject({ disconnect_code: 486, disconnect_initiator: 'Destination' });
  // Another rang until the end: that it was not answered says more than that one was busy.
  rings(away);
  await world.world.env.pool.query('update voice_in_trunks set ringing_timeout = 1');
  caller.dial(number);
  await expect.poll(() => away.events.at(-1)).toBe('cancelled');
  expect(await endOf(number, 2)).toMatchObject({ disconnect_code: 1505 });
  await world.world.env.pool.query('update voice_in_trunks set ringing_timeout = null');
});

test('a caller who gives up cancels all', async () => {
  const [caller, first, second] = await phones(3);
  if (!caller || !first || !second) return;
  rings(first);
  rings(second);
  const { number } = await numberOf([first.port, second.port]);
  const call = caller.dial(number);
  await expect.poll(() => [first.calls.length, second.calls.length]).toEqual([1, 1]);
  call.cancel();
  await expect.poll(() => [first.events, second.events]).toEqual([['cancelled'], ['cancelled']]);
  expect(await endOf(number)).toMatchObject({ disconnect_code: 487, disconnect_initiator: 'Origination' });
});

test('a caller without an offer gets that of the phone that answers', async () => {
  const [caller, first, second] = await phones(3);
  if (!caller || !first || !second) return;
  rings(first);
  second.onCall = (call) => void second.answer(call, sdp('8'));
  const { number } = await numberOf([first.port, second.port]);
  caller.dial(number, { extra: {} }, sdp('8'));
  await expect.poll(() => second.events).toEqual(['ack']);
  expect(String(caller.responses.at(-1)?.body)).toContain('RTP/AVP 8');
  expect(first.invites[0]?.headers.first('Supported')).not.toContain('100rel');
  caller.sessions[0]?.hangUp();
  await endOf(number);
});

test.each([
  ['of a trunk that is switched to one by one', { columns: { ringing_contacts: 'one_by_one' } }],
  ['with a lower priority', { q: [1, 0.5] }],
] as const)('a phone %s rings after the others are not available', async (_, options) => {
  const [caller, first, second] = await phones(3);
  if (!caller || !first || !second) return;
  rings(first);
  const { number } = await numberOf([first.port, second.port], { q: [1, 1], ...options });
  caller.dial(number);
  await expect.poll(() => first.calls.length).toBe(1);
  expect(second.calls).toEqual([]);
  first.calls[0]?.reject(480);
  await expect.poll(() => caller.events.at(-1)).toBe('answered');
  expect(second.calls).toHaveLength(1);
  caller.sessions[0]?.hangUp();
  expect(await endOf(number)).toMatchObject({ leg_call_id: second.invites[0]?.callId });
});
