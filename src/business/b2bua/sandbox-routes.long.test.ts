/** Calls out of the sandbox without a carrier: to the account's own numbers, and to the phone that echoes. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDialers } from '../../../test/support/dialers.ts';
import { sessionOf } from '../../../test/support/phone-session.ts';
import { usePhones } from '../../../test/support/phones.ts';
import { toneFrames } from '../../engines/speech/tone.ts';
import { createHttpServer } from '../../interfaces/server/http-server.ts';
import { phoneCredentials } from '../voice/phone-credentials.ts';
import { SandboxRoutes } from './sandbox-routes.ts';
import { createWorld, type World } from './world.fixture.ts';

let world: World;
let url: string;
let addDialer: ReturnType<typeof createDialers>;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  world = await createWorld({ answersItself: true });
  const env = { ...world.world.env, sip: { endpoint: world.endpoint } };
  await env.db
    .insertInto('voice_rates')
    .values({ kind: 'termination', prefix: '', per_minute: '0.6', country: 'Anywhere', network: 'Any' })
    .execute();
  addDialer = createDialers(world.world, world.telephony);
  const app = await createHttpServer(env, { rooms: [], trustedProxies: [] });
  url = `${(await app.listen({ host: '127.0.0.1', port: 0 })).replace('http', 'ws')}/sip`;
  closing.push(() => app.close());
});
afterAll(async () => {
  await world.close();
  for (const close of closing) await close();
});
const openPhone = usePhones();

/** A customer who calls with phones in browsers. */
async function customer() {
  const dialer = await addDialer();
  const sessionId = await sessionOf(world.world.env, dialer.accountId);
  const account = phoneCredentials(world.world.env, { direction: 'out', trunkId: dialer.trunkId, sessionId });
  const from = `<sip:+${dialer.number}@127.0.0.1>`;
  const call = async (number: string) => {
    const phone = await world.phone({ webSocket: { url } });
    phone.dial(number, { from, account });
    return phone;
  };
  return { ...dialer, call };
}

/** A number of the account that rings at a phone. */
async function ringing(accountId: string) {
  const phone = await world.phone();
  const trunk = await world.telephony.trunk(
    accountId,
    {},
    { host: '127.0.0.1', port: phone.port, codec_ids: [9, 10, 6] },
  );
  const { number } = await world.telephony.did(accountId, { voice_in_trunk_id: trunk });
  return { phone, number };
}

test('a number that nobody has is answered by a phone that echoes, and the call is charged', async () => {
  const account = { username: 'caller', password: 'p' };
  const authentication = { allowed_sip_ips: ['127.0.0.0/8'], tech_prefix: null, ...account };
  const { accountId, number } = await addDialer({ authentication: JSON.stringify(authentication) });
  const server = { transport: 'UDP', address: '127.0.0.1', port: world.endpoint.ports.udp } as const;
  const caller = await openPhone({ server, account, user: number, play: () => toneFrames(900) });
  await caller.phone.call('4930123456');
  await caller.until('answered');
  const heard = () => caller.events.flatMap((event) => (event.event === 'hearing' ? [event.tone_hz] : []));
  await expect.poll(heard).toContain(440);
  await expect.poll(() => heard().at(-1)).toBe(900);
  await caller.phone.close();
  await expect
    .poll(() => world.cdrsOut(accountId))
    .toMatchObject([{ success: true, carrier_name: 'the sandbox itself' }]);
  expect(world.switchboard.size).toBe(0);
});

test('a number of the account rings where it is routed, and has a call of its own', async () => {
  const { accountId, call } = await customer();
  const called = await ringing(accountId);
  const caller = await call(called.number);
  await expect.poll(() => caller.events).toContain('answered');
  expect(called.phone.invites).toHaveLength(1);
  called.phone.sessions[0]?.hangUp();
  await expect.poll(() => caller.events).toContain('ended remote');
  await expect.poll(() => world.cdrsOut(accountId)).toMatchObject([{ success: true }]);
  await expect.poll(() => world.cdrs(called.number)).toMatchObject([{ success: true }]);
});

test("another account's number is not rung, and one account has twenty such calls at a time", async () => {
  const [one, other] = [await customer(), await customer()];
  const called = await ringing(other.accountId);
  const first = await one.call(called.number);
  await expect.poll(() => first.events).toContain('answered');
  const further = await Promise.all(Array.from({ length: 24 }, () => one.call('4930123456')));
  const taken = () => further.filter(({ events }) => events.includes('180'));
  const refused = () => further.filter(({ events }) => events.includes('failed 503'));
  await expect.poll(() => taken().length + refused().length).toBe(24);
  expect([taken().length, refused().length]).toEqual([19, 5]);
  expect(called.phone.invites).toHaveLength(0);
  first.sessions[0]?.hangUp();
  await expect.poll(() => world.switchboard.size).toBe(19);
  const next = await one.call('4930123456');
  await expect.poll(() => next.events).toContain('180');
  const elsewhere = await other.call('4930123456');
  await expect.poll(() => elsewhere.events).toContain('180');
});

test('twenty of the calls of one moment find a way, and more when they have ended', async () => {
  const { accountId } = await customer();
  const routes = new SandboxRoutes(world.endpoint);
  const find = (call: object) => routes.find('4930123456', accountId, call);
  const calls = Array.from({ length: 24 }, () => ({}));
  const found = await Promise.all(calls.map(find));
  expect(found.filter(({ length }) => length > 0)).toHaveLength(20);
  for (const call of calls) routes.release(call);
  expect(await find({})).toHaveLength(1);
  await routes.stop();
});
