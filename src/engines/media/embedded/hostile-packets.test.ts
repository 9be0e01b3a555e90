/** What strangers and broken senders put into the ports of a call: it goes on, and says what was dropped. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import type { MediaCall } from '../media-engine.ts';
import { newMasterKey } from '../srtp/profiles.ts';
import { SrtpSender } from '../srtp/srtp-sender.ts';
import { Party, plainLeg } from './party.fixture.ts';
import { exchange, heardOf, openCall, openPair, shareEngine } from './world.fixture.ts';

const { engine } = shareEngine();

async function openStranger(): Promise<Socket> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return socket;
}

async function droppedOf(call: MediaCall, name: string, why: string): Promise<number> {
  return (await heardOf(call, name)).dropped[why] ?? 0;
}
const drops = (call: MediaCall, name: string, why: string) => expect.poll(() => droppedOf(call, name, why));

const rtp = (fields: { payload?: number; sequence?: number; ssrc?: number; bytes?: number } = {}): Buffer => {
  const packet = Buffer.alloc(fields.bytes ?? 172, 0x55);
  packet.writeUInt16BE(0x8000 | (fields.payload ?? 0), 0);
  packet.writeUInt16BE(fields.sequence ?? 1, 2);
  packet.writeUInt32BE(0, 4);
  packet.writeUInt32BE(fields.ssrc ?? 0x5eed, 8);
  return packet;
};

test('a stranger is neither heard nor sent to, not even with the SSRC of the party', async () => {
  const { call, alice, bob } = await openPair(engine);
  await alice.isHeardBy(bob);
  const stranger = await openStranger();
  const heardByStranger: Buffer[] = [];
  stranger.on('message', (bytes) => heardByStranger.push(bytes));
  const ssrc = bob.packets.at(-1)?.ssrc ?? expect.unreachable();
  // While the party goes on.
  for (let round = 0; round < 10; round++) {
    alice.speak(1);
    alice.sendRaw(rtp({ sequence: 7_000 + round }), stranger);
    alice.sendRaw(rtp({ sequence: 7_000 + round, ssrc }), stranger);
  }
  await drops(call, 'alice', 'address').toBe(20);
  await bob.isHeardBy(alice);
  expect(bob.packets.filter(({ payload }) => payload.every((byte) => byte === 0x55))).toEqual([]);
  expect(heardByStranger).toEqual([]);
});

test('another SSRC from the address of the party does not break into its stream', async () => {
  const { call, alice, bob } = await openPair(engine);
  await alice.isHeardBy(bob);
  for (let round = 0; round < 10; round++) {
    alice.speak(1);
    alice.sendRaw(rtp({ sequence: round, ssrc: 0xbad }));
  }
  await drops(call, 'alice', 'ssrc').toBe(10);
  expect(bob.packets.some(({ ssrc }) => ssrc === 0xbad)).toBe(false);
});

test.each(['srtp_sdes', 'srtp_dtls'] as const)(
  '%s: replays, forgeries, packets in the clear and with other keys',
  async (encryption) => {
    const alice = await Party.open({ encryption });
    const { call, bob } = await openPair(engine, { alice, aliceLeg: { encryption } });
    await alice.isHeardBy(bob);
    const sealed = Buffer.from(alice.medium.protect(alice.nextPacket(), 'rtp') ?? expect.unreachable());
    for (let count = 0; count < 3; count++) alice.sendRaw(sealed);
    await drops(call, 'alice', 'replay').toBe(2);
    const before = await droppedOf(call, 'alice', 'authentication');
    const forged = Buffer.from(sealed);
    forged.writeUInt16BE((sealed.readUInt16BE(2) + 1) & 0xffff, 2);
    alice.sendRaw(forged);
    alice.sendRaw(rtp());
    const otherKey = new SrtpSender(newMasterKey('AES_CM_128_HMAC_SHA1_80'));
    const next = { ssrc: sealed.readUInt32BE(8), sequence: (sealed.readUInt16BE(2) + 2) & 0xffff };
    alice.sendRaw(otherKey.protectRtp(rtp(next)) ?? expect.unreachable());
    await drops(call, 'alice', 'authentication').toBe(before + 3);
    const stranger = await openStranger();
    alice.sendRaw(rtp(), stranger);
    await drops(call, 'alice', 'authentication').toBe(before + 4);
    await alice.isHeardBy(bob);
    await bob.isHeardBy(alice);
    expect(bob.packets.some(({ payload }) => payload.every((byte) => byte === 0x55))).toBe(false);
  },
);

test('a certificate that is not the one that was described: no keys, nothing is heard, and it says why', async () => {
  const { call } = openCall(engine);
  const [alice, bob] = [await Party.open({ encryption: 'srtp_dtls' }), await Party.open()];
  const legs = { alice: call.leg('alice', { ...plainLeg, encryption: 'srtp_dtls' }), bob: call.leg('bob', plainLeg) };
  const offer = alice
    .describe()
    .toString()
    .replace(/sha-256 ..:..:/, 'sha-256 00:00:');
  await exchange(call, { leg: legs.alice, party: alice, sdp: Buffer.from(offer) }, { leg: legs.bob, party: bob });
  await expect.poll(async () => (await heardOf(call, 'alice')).encryption).toMatch(/^srtp_dtls \(.+\)$/);
  alice.sendRaw(rtp());
  bob.speak(5);
  await drops(call, 'alice', 'authentication').toBe(1);
  expect([alice.datagrams, bob.datagrams]).toEqual([[], []]);
});

test('a flood costs what the party may send, and no more', async () => {
  const { call, alice, bob } = await openPair(engine);
  await alice.isHeardBy(bob);
  const before = bob.packets.length;
  for (let count = 0; count < 5_000; count++) {
    alice.speak(1);
    if (count % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => droppedOf(call, 'alice', 'rate')).toBeGreaterThan(0);
  await bob.isHeardBy(alice);
  expect(bob.packets.length - before).toBeLessThan(4_999);
});

test('empty, short, long and foreign packets, and payload types that nobody agreed on', async () => {
  const { call, alice, bob } = await openPair(engine);
  await alice.isHeardBy(bob);
  const malformed = [
    Buffer.of(0x80),
    Buffer.alloc(11, 0x80),
    Buffer.alloc(1_501, 0x80),
    Buffer.alloc(200, 0x20),
    Buffer.alloc(200, 0xff),
    Buffer.from('OPTIONS sip:a SIP/2.0\r\n\r\n'),
  ];
  for (const bytes of [Buffer.alloc(0), ...malformed]) alice.sendRaw(bytes);
  await drops(call, 'alice', 'malformed').toBe(malformed.length);
  for (let payload = 20; payload < 30; payload++) alice.speak(1, payload);
  await drops(call, 'alice', 'payload').toBe(10);
  // The longest that goes on as it is.
  alice.sendRaw(rtp({ bytes: 1_500, ...numbersAfter(bob) }));
  await expect.poll(() => bob.datagrams.at(-1)?.length).toBe(1_500);
  expect(new Set(bob.datagrams.map(({ length }) => length))).toEqual(new Set([172, 1_500]));
  expect(new Set(bob.packets.map(({ payloadType }) => payloadType))).toEqual(new Set([0]));
  await alice.isHeardBy(bob);
});

/** The next number of the stream that the party hears. */
function numbersAfter({ packets }: Party): { ssrc: number; sequence: number } {
  const last = packets.at(-1) ?? expect.unreachable();
  return { ssrc: last.ssrc, sequence: (last.sequence + 100) & 0xffff };
}

test('behind a NAT: a party is sent to where it comes from, if what it describes cannot be reached', async () => {
  const { alice, bob, legs, call } = await openPair(engine);
  const elsewhere = bob.describe([], { address: '10.255.255.1', port: 4_000 });
  await exchange(call, { leg: legs.alice, party: alice }, { leg: legs.bob, party: bob, sdp: elsewhere });
  await bob.isHeardBy(alice);
  await alice.isHeardBy(bob);
});

test('from addresses that are not allowed nothing is taken', async () => {
  const { call, alice, bob } = await openPair(engine, { aliceLeg: { allowedAddresses: ['192.0.2.0/24'] } });
  alice.speak(10);
  await drops(call, 'alice', 'address').toBe(10);
  expect(bob.packets).toEqual([]);
});

test('numbers that begin anew under the same SSRC are heard on by a party with SRTP', async () => {
  const bob = await Party.open({ encryption: 'srtp_sdes' });
  const { alice } = await openPair(engine, { bob, bobLeg: { encryption: 'srtp_sdes' } });
  for (const sequence of [30_000, 30_001, 100, 101]) {
    const before = bob.packets.length;
    alice.sendRaw(rtp({ sequence }));
    await expect.poll(() => bob.packets.length).toBe(before + 1);
  }
  const first = bob.packets[0]?.sequence ?? expect.unreachable();
  expect(bob.packets.map(({ sequence }) => sequence - first)).toEqual([0, 1, 2, 3]);
  expect(bob.dropped).toEqual([]);
});
