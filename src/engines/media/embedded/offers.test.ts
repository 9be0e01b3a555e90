/** New offers within a call: what is refused changes nothing; fax takes the place of the voice and gives it back. */
import { expect, test } from 'vitest';
import { MediaRefused } from '../media-engine.ts';
import { Party, plainLeg } from './party.fixture.ts';
import { exchange, heardOf, openCall, openPair, shareEngine } from './world.fixture.ts';

const { engine } = shareEngine();

const faxOf = (party: Party): Buffer =>
  Buffer.from(
    party
      .describe()
      .toString()
      .replace(/^m=audio (\d+) .*$/m, 'm=image $1 udptl t38'),
  );
const page = Buffer.from('000006c0018081', 'hex');

test('T.38 passes as it is, and the voice comes back through the same ports', async () => {
  const { call, alice, bob, legs } = await openPair(engine);
  await alice.isHeardBy(bob);
  const ports = [alice.relay.port, bob.relay.port];
  const answered = exchange(
    call,
    { leg: legs.alice, party: alice, sdp: faxOf(alice) },
    {
      leg: legs.bob,
      party: bob,
      sdp: Buffer.from(
        bob
          .describe()
          .toString()
          .replace(/^m=audio (\d+) .*$/m, 'm=image $1 udptl t38'),
      ),
    },
  );
  const told = await answered;
  expect(told.offer).toMatch(/^m=image \d+ udptl t38\r$/m);
  expect([alice.relay.port, bob.relay.port]).toEqual(ports);
  for (const [from, to] of [
    [alice, bob],
    [bob, alice],
  ] as const) {
    from.sendRaw(page);
    await expect.poll(() => to.datagrams.at(-1)).toEqual(page);
  }
  await exchange(call, { leg: legs.alice, party: alice }, { leg: legs.bob, party: bob });
  await alice.isHeardBy(bob);
  await bob.isHeardBy(alice);
  expect([alice.relay.port, bob.relay.port]).toEqual(ports);
});

test('T.38 that is refused leaves the voice as it was', async () => {
  const { call, alice, bob, legs } = await openPair(engine);
  await call.offer(legs.alice, legs.bob, faxOf(alice));
  call.refused(legs.alice, legs.bob);
  await alice.isHeardBy(bob);
  await bob.isHeardBy(alice);
});

test.each(['srtp_sdes', 'srtp_dtls'] as const)('%s: an offer that is refused changes no key', async (encryption) => {
  const alice = await Party.open({ encryption });
  const { call, bob, legs } = await openPair(engine, { alice, aliceLeg: { encryption } });
  await alice.isHeardBy(bob);
  const other = await Party.open({ encryption });
  await call.offer(legs.alice, legs.bob, other.describe());
  call.refused(legs.alice, legs.bob);
  await alice.isHeardBy(bob);
  await bob.isHeardBy(alice);
  await expect(call.offer(legs.alice, legs.bob, bob.describe())).rejects.toThrow(MediaRefused);
  await alice.isHeardBy(bob);
});

test('where encryption is demanded, a fax in the clear is refused', async () => {
  const alice = await Party.open({ encryption: 'srtp_sdes' });
  const { call, bob, legs } = await openPair(engine, { alice, aliceLeg: { encryption: 'srtp_sdes' } });
  await expect(call.offer(legs.bob, legs.alice, faxOf(bob))).rejects.toThrow('udptl has none');
});

test.each([
  ['disabled', 'srtp_sdes', 'Media encryption disabled is demanded, and srtp_sdes was described'],
  ['srtp_sdes', 'disabled', 'Media encryption srtp_sdes is demanded, and disabled was described'],
  ['srtp_dtls', 'srtp_sdes', 'Media encryption srtp_dtls is demanded, and srtp_sdes was described'],
  ['zrtp', 'srtp_sdes', 'Media encryption disabled is demanded, and srtp_sdes was described'],
] as const)('a party with %s that offers %s is refused', async (demanded, encryption, message) => {
  const { call } = openCall(engine);
  const party = await Party.open({ encryption });
  const legs = [call.leg('alice', { ...plainLeg, encryption: demanded }), call.leg('bob', plainLeg)] as const;
  await expect(call.offer(...legs, party.describe())).rejects.toThrow(new MediaRefused(message));
});

test('ZRTP passes untouched, with its line and its packets; the other side must not have an encryption of its own', async () => {
  const alice = await Party.open({
    lines: ['a=zrtp-hash:1.10 fe30efd02423cb054e50efd0248742ac7a52c8f91bc2df881ae642c371ba46df'],
  });
  const { call, bob, legs, told } = await openPair(engine, { alice, aliceLeg: { encryption: 'zrtp' } });
  expect(told.offer).toContain('a=zrtp-hash:1.10 fe30efd0');
  const hello = Buffer.concat([Buffer.from('100000015a5254501234567800', 'hex'), Buffer.alloc(40)]);
  alice.sendRaw(hello);
  await expect.poll(() => bob.datagrams.at(-1)).toEqual(hello);
  // Encrypted between the two: nothing of a packet may change, whatever its payload type.
  const sealed = Buffer.concat([Buffer.from('806f0001000000010000beef', 'hex'), Buffer.alloc(60, 0x17)]);
  alice.sendRaw(sealed);
  await expect.poll(() => bob.datagrams.at(-1)).toEqual(sealed);
  expect((await heardOf(call, 'alice')).encryption).toBe('zrtp');
  const secure = call.leg('carol', { ...plainLeg, encryption: 'srtp_sdes' });
  await expect(call.offer(legs.alice, secure, alice.describe())).rejects.toThrow('ZRTP goes from end to end');
});
