/** Each side of a relayed call has its own protection, and nothing of it reaches the other. */
import { expect, test } from 'vitest';
import type { Encryption } from '../srtp/encryption-offered.ts';
import { Party } from './party.fixture.ts';
import { exchange, heardOf, openPair, shareEngine } from './world.fixture.ts';

const { engine } = shareEngine();

const shown: Readonly<Record<Encryption, string>> = {
  disabled: 'disabled',
  srtp_sdes: 'srtp_sdes AES_CM_128_HMAC_SHA1_80',
  srtp_dtls: 'srtp_dtls AES_CM_128_HMAC_SHA1_80',
};
const described: Readonly<Record<Encryption, RegExp>> = {
  disabled: /^m=audio \d+ RTP\/AVP 0 8 101\r\n(?!.*(crypto|fingerprint|setup))/ms,
  srtp_sdes: /^m=audio \d+ RTP\/SAVP 0 8 101\r\n(?!.*(fingerprint|setup)).*^a=crypto:/ms,
  srtp_dtls: /^m=audio \d+ UDP\/TLS\/RTP\/SAVP 0 8 101\r\n(?!.*crypto).*^a=fingerprint:sha-256 .*^a=setup:/ms,
};
const secretsIn = (sdp: string): string[] => sdp.match(/^a=(?:crypto|fingerprint|ice-).*$/gm) ?? [];

const pairs = (['disabled', 'srtp_sdes', 'srtp_dtls'] as const).flatMap((one, _, all) =>
  all.map((other) => [one, other] as const),
);

test.each(pairs)('%s talks with %s', async (one, other) => {
  const [alice, bob] = [await Party.open({ encryption: one }), await Party.open({ encryption: other })];
  const offered = alice.describe();
  const { call, told } = await openPair(engine, {
    ...{ alice, bob, aliceLeg: { encryption: one }, bobLeg: { encryption: other } },
  });
  await alice.isHeardBy(bob);
  await bob.isHeardBy(alice);
  expect(told.offer).toMatch(described[other]);
  expect(told.answer).toMatch(described[one]);
  for (const secret of secretsIn(offered.toString())) expect(told.offer).not.toContain(secret);
  expect([(await heardOf(call, 'alice')).encryption, (await heardOf(call, 'bob')).encryption]).toEqual([
    shown[one],
    shown[other],
  ]);
  expect((await heardOf(call, 'alice')).dropped).toEqual({});
  expect([alice.dropped, bob.dropped]).toEqual([[], []]);
  const report = Buffer.from('80c80001000000070102030405060708', 'hex');
  if (one === 'srtp_dtls' || other === 'srtp_dtls') return;
  alice.sendControl(report);
  await expect.poll(() => bob.control).toEqual([report]);
});

test.each(['disabled', 'srtp_sdes', 'srtp_dtls'] as const)(
  'of a party that is taken as it offers nothing is demanded: %s',
  async (encryption) => {
    const alice = await Party.open({ encryption });
    const { call, bob, legs, told } = await openPair(engine, {
      ...{ alice, aliceLeg: { encryption: 'as offered' }, bobLeg: { encryption: 'as offered' } },
    });
    expect(told.offer).toMatch(described.disabled);
    await alice.isHeardBy(bob);
    await bob.isHeardBy(alice);
    // The other way round it gets what it has.
    const again = await exchange(call, { leg: legs.bob, party: bob }, { leg: legs.alice, party: alice });
    expect(again.offer).toMatch(described[encryption]);
    await alice.isHeardBy(bob);
    await bob.isHeardBy(alice);
  },
);
