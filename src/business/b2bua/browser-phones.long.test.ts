/** A phone in the browser registers with credentials that its panel has got, as long as they are good. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endSession, sessionOf } from '../../../test/support/phone-session.ts';
import { Registration } from '../../engines/sip/registrar/registration.ts';
import { credentialMinutes, type PhoneDirection, phoneCredentials } from '../voice/phone-credentials.ts';
import { createWorld, type Phone, type World } from './world.fixture.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

let trunks = 0;

/** A number at a trunk that waits for registrations, the trunk's id, and a session of its customer. */
async function ownNumber(sip: object = {}) {
  const username = `browser${++trunks}`;
  const waiting = { host: null, enabled_sip_registration: true, incoming_auth_username: username };
  const { accountId, number } = await world.number([0], { ...waiting, incoming_auth_password: 'x', ...sip });
  const { rows } = await world.world.env.pool.query(
    `select id from voice_in_trunks where configuration->>'incoming_auth_username' = $1`,
    [username],
  );
  const sessionId = await sessionOf(world.world.env, accountId);
  return { number, trunkId: String(rows[0].id), username, sessionId };
}

type Wanted = Pick<Awaited<ReturnType<typeof ownNumber>>, 'trunkId' | 'sessionId'>;

const credentials = ({ trunkId, sessionId }: Wanted, direction: PhoneDirection = 'in') =>
  phoneCredentials(world.world.env, { direction, trunkId, sessionId });

/** Seconds of the registration, or the status that it failed with. */
async function register(phone: Phone, account: { username: string; password: string }, expires = 86_400) {
  const target = { transport: 'UDP', address: '127.0.0.1', port: world.endpoint.ports.udp } as const;
  const addressOfRecord = `sip:${account.username}@127.0.0.1`;
  const options = { registrar: 'sip:127.0.0.1', addressOfRecord, target, account, expires };
  const ended = Promise.withResolvers<{ seconds: number } | { status: number }>();
  const registration = new Registration(phone.agent, options, {
    registered: (seconds) => ended.resolve({ seconds }),
    failed: (status) => ended.resolve({ status }),
  });
  registration.start();
  return ended.promise;
}

test('it is registered for as long as its credentials are good, and rings', async () => {
  const [phone, caller] = [await world.phone(), await world.phone()];
  const own = await ownNumber();
  expect(await register(phone, credentials(own))).toEqual({ seconds: credentialMinutes * 60 });
  caller.dial(own.number);
  await expect.poll(() => caller.events).toContain('answered');
  expect(phone.calls).toHaveLength(1);
});

test('browsers and phones of one trunk ring together', async () => {
  const [browser, desk, caller] = [await world.phone(), await world.phone(), await world.phone()];
  const own = await ownNumber();
  const { number, username } = own;
  await register(browser, credentials(own));
  expect(await register(desk, { username, password: 'x' }, 3_600)).toEqual({ seconds: 3_600 });
  for (const phone of [browser, desk]) phone.onCall = (call) => call.progress(180);
  const call = caller.dial(number);
  await expect.poll(() => [browser.calls.length, desk.calls.length]).toEqual([1, 1]);
  call.cancel();
});

test('its credentials are good for one direction of one trunk, and for some minutes', async () => {
  const phone = await world.phone();
  const [mine, another] = [await ownNumber(), await ownNumber({ enabled_sip_registration: false })];
  const { username, password } = credentials(mine);
  const later = username.replace(/\d+$/, (seconds) => String(Number(seconds) + 86_400));
  for (const wrong of [
    { username, password: 'x' },
    { username: later, password },
    { username: username.replace('.in.', '.out.'), password },
    credentials(mine, 'out'),
    credentials(another),
    credentials({ ...mine, trunkId: '00000000-0000-4000-8000-000000000000' }),
    // A session of somebody else, and none at all.
    credentials({ ...mine, sessionId: another.sessionId }),
    credentials({ ...mine, sessionId: mine.trunkId }),
    { username: 'browser.in.x.1', password },
  ]) {
    expect([wrong.username, await register(phone, wrong)]).toEqual([wrong.username, { status: 403 }]);
  }
  expect(await register(phone, { username, password })).toEqual({ seconds: credentialMinutes * 60 });
  world.world.clock.advance(credentialMinutes * 60_000);
  expect(await register(phone, { username, password })).toEqual({ status: 403 });
});

test('its credentials end with the session, and with the role that may make calls', async () => {
  const { env } = world.world;
  const phone = await world.phone();
  const own = await ownNumber();
  const good = credentials(own);
  await register(phone, good);
  await endSession(env, own.sessionId);
  expect(await register(phone, good)).toEqual({ status: 403 });
  const asMember = await memberSession(own.sessionId);
  const ofMember = credentials({ ...own, sessionId: asMember.sessionId });
  expect(await register(phone, ofMember)).toEqual({ seconds: credentialMinutes * 60 });
  await env.db.updateTable('account_members').set({ role: 'billing' }).where('id', '=', asMember.memberId).execute();
  expect(await register(phone, ofMember)).toEqual({ status: 403 });
});

/** A developer of the account of this session, signed in. */
async function memberSession(ofSession: string) {
  const { env } = world.world;
  const { account_id } = await env.db
    .selectFrom('panel_sessions')
    .select('account_id')
    .where('id', '=', ofSession)
    .executeTakeFirstOrThrow();
  const accountId = account_id ?? '';
  const { id: memberId } = await env.db
    .insertInto('account_members')
    .values({ account_id: accountId, email: 'dev@a.test', role: 'developer', created_at: env.clock.now() })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { memberId, sessionId: await sessionOf(env, accountId, memberId) };
}
