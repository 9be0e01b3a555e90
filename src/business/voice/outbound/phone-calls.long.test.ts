/** Calls of a phone in the browser through an outbound trunk, with the credentials that its panel has got. */
import { beforeAll, expect, test } from 'vitest';
import { createDialers, type Dialer } from '../../../../test/support/dialers.ts';
import { endSession, sessionOf } from '../../../../test/support/phone-session.ts';
import { useTelephony } from '../../../../test/support/use-telephony.ts';
import { credentialMinutes, type PhoneDirection, phoneCredentials } from '../phone-credentials.ts';
import { placeCall } from './place-call.ts';

const { house, telephony, voice } = useTelephony();
beforeAll(async () => {
  await house.env.db
    .insertInto('voice_rates')
    .values({ kind: 'termination', prefix: '49', per_minute: '0.6', country: 'Germany', network: 'Fixed' })
    .execute();
});

const customer = createDialers(house, telephony);
const anywhere = { sourceIp: '198.51.100.7', sourcePort: 5060, sourceProtocol: 'UDP', callId: 'x' } as const;

/** What comes of a call to Germany from an address that no trunk allows. */
async function dial(
  { request }: Dialer,
  { username, password }: { username: string; password: string },
  from = request.from,
) {
  const digest = { username, isMadeWith: (known: string) => known === password };
  const placed = await placeCall(voice, { ...request, ...anywhere, digest, from, to: '4930123' });
  if ('live' in placed) return placed.live.call.trunkId;
  return 'code' in placed ? placed.reason : 'challenged';
}

async function signedIn(columns: Parameters<typeof customer>[0] = {}) {
  const dialer = await customer(columns);
  return { ...dialer, sessionId: await sessionOf(house.env, dialer.accountId) };
}

const credentials = (
  { trunkId, sessionId }: Pick<Awaited<ReturnType<typeof signedIn>>, 'trunkId' | 'sessionId'>,
  direction: PhoneDirection = 'out',
) => phoneCredentials(house.env, { direction, trunkId, sessionId });

test('it calls from any address, without the tech prefix, and by the rules of the trunk', async () => {
  const dialer = await signedIn();
  expect(await dial(dialer, credentials(dialer))).toBe(dialer.trunkId);
  expect(await dial(dialer, credentials(dialer), '4930999999')).toBe('cli_mismatch');
  await house.env.db
    .updateTable('voice_out_trunks')
    .set({ status: 'blocked' })
    .where('id', '=', dialer.trunkId)
    .execute();
  expect(await dial(dialer, credentials(dialer))).toBe('trunk_blocked');
});

test.each(['ip_only', 'twilio'] as const)('it needs no other authentication where that is %s', async (type) => {
  const dialer = await signedIn({ authentication_type: type });
  expect(await dial(dialer, credentials(dialer))).toBe(dialer.trunkId);
});

test('its credentials are good for one direction of one trunk, and for some minutes', async () => {
  const [mine, another] = [await signedIn(), await signedIn()];
  const good = credentials(mine);
  for (const wrong of [
    { ...good, password: credentials(another).password },
    { ...good, username: good.username.replace(/\d+$/, '9999999999') },
    credentials(mine, 'in'),
    credentials({ ...mine, trunkId: '00000000-0000-4000-8000-000000000000' }),
    // Of somebody else, who is signed in as well.
    credentials({ ...mine, sessionId: another.sessionId }),
    // Those of the trunk itself count at its own addresses only.
    { username: mine.request.digest?.username ?? '', password: 'p' },
  ]) {
    expect([wrong.username, await dial(mine, wrong)]).toEqual([wrong.username, 'not_authorized']);
  }
  const kept = credentials(another);
  expect(await dial(another, kept)).toBe(another.trunkId);
  await endSession(house.env, another.sessionId);
  expect(await dial(another, kept)).toBe('not_authorized');
  house.clock.advance(credentialMinutes * 60_000);
  expect(await dial(mine, good)).toBe('not_authorized');
});
