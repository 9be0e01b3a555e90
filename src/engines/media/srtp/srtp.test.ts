/** Packets from one end to the other: order, overflow of the sequence, replays, forgeries, damaged input. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type MasterKey, newMasterKey, type ProfileName, profiles } from './profiles.ts';
import { SrtpReceiver } from './srtp-receiver.ts';
import { SrtpSender } from './srtp-sender.ts';

const names = Object.keys(profiles) as ProfileName[];

function ends(profile: ProfileName = 'AES_CM_128_HMAC_SHA1_80') {
  const master = newMasterKey(profile);
  const refused: string[] = [];
  return { sender: new SrtpSender(master), receiver: receiverOf(master, refused), refused };
}

function receiverOf(master: MasterKey, refused: string[]) {
  const receiver = new SrtpReceiver(master);
  const note = (why: string) => void refused.push(why);
  return {
    openRtp: (packet: Buffer) => receiver.openRtp(packet, note),
    openRtcp: (packet: Buffer) => receiver.openRtcp(packet, note),
  };
}

function rtp(sequence: number, { ssrc = 7, payload = Buffer.from(`audio ${sequence}`), first = 0x80 } = {}): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt8(first);
  header.writeUInt16BE(sequence & 0xffff, 2);
  header.writeUInt32BE(ssrc, 8);
  return Buffer.concat([header, payload]);
}

const rtcp = (ssrc = 7): Buffer => Buffer.from(`80c80001${ssrc.toString(16).padStart(8, '0')}0102030405060708`, 'hex');

/** A copy, because opening a packet changes it. */
const protect = (sender: SrtpSender, packet: Buffer): Buffer => sender.protectRtp(packet) ?? expect.unreachable();

test.each(names)('%s: what is protected cannot be read on the way, and arrives as it was', (profile) => {
  const { sender, receiver, refused } = ends(profile);
  for (const length of [0, 1, 15, 16, 17, 160, 1_400]) {
    const packet = rtp(length + 1, { payload: randomBytes(length) });
    const sealed = protect(sender, packet);
    if (length > 8) expect(sealed.includes(packet.subarray(12))).toBe(false);
    expect(sealed).toHaveLength(packet.length + profiles[profile].tagBytes);
    expect(receiver.openRtp(sealed)).toEqual(packet);
  }
  const sealed = sender.protectRtcp(rtcp()) ?? expect.unreachable();
  expect(sealed.includes(rtcp().subarray(8))).toBe(false);
  expect(receiver.openRtcp(sealed)).toEqual(rtcp());
  expect(refused).toEqual([]);
});

test.each(names)('%s: one changed bit, anywhere, and it is refused; the true packet still counts', (profile) => {
  const { sender, receiver, refused } = ends(profile);
  const packet = rtp(1, { payload: Buffer.from('some words') });
  const sealed = protect(sender, packet);
  const control = sender.protectRtcp(rtcp()) ?? expect.unreachable();
  for (let bit = 0; bit < 8 * sealed.length; bit += 5) {
    expect(receiver.openRtp(withChangedBit(sealed, bit)), `bit ${bit}`).toBeNull();
  }
  for (let bit = 0; bit < 8 * control.length; bit += 5) {
    expect(receiver.openRtcp(withChangedBit(control, bit)), `bit ${bit}`).toBeNull();
  }
  expect(refused).toContain('authentication');
  expect(refused).not.toContain('replay');
  expect(receiver.openRtp(sealed)).toEqual(packet);
  expect(receiver.openRtcp(control)).toEqual(rtcp());
});

function withChangedBit(bytes: Buffer, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return changed;
}

test('header extension and contributing sources stay readable, what follows does not', () => {
  const { sender, receiver } = ends();
  const header = Buffer.from('920000010000000000000007 0000000a0000000b bede0001 01020304'.replaceAll(' ', ''), 'hex');
  const packet = Buffer.concat([header, Buffer.from('words')]);
  const sealed = protect(sender, packet);
  expect(sealed.subarray(0, header.length)).toEqual(header);
  expect(sealed.includes('words')).toBe(false);
  expect(receiver.openRtp(sealed)).toEqual(packet);
});

test('a replayed packet is refused and counted, of RTP and RTCP', () => {
  const { sender, receiver, refused } = ends();
  const sealed = protect(sender, rtp(1));
  const control = sender.protectRtcp(rtcp()) ?? expect.unreachable();
  receiver.openRtp(Buffer.from(sealed));
  receiver.openRtcp(Buffer.from(control));
  expect(receiver.openRtp(Buffer.from(sealed))).toBeNull();
  expect(receiver.openRtcp(Buffer.from(control))).toBeNull();
  expect(refused).toEqual(['replay', 'replay']);
});

test('packets that were overtaken by fewer than 128 arrive, older ones count as replays', () => {
  const { sender, receiver, refused } = ends();
  const sealed = Array.from({ length: 300 }, (_, sequence) => protect(sender, rtp(sequence)));
  receiver.openRtp(Buffer.from(sealed[200] ?? expect.unreachable()));
  for (const at of [73, 199, 100]) expect(receiver.openRtp(sealed[at] ?? expect.unreachable()), `${at}`).not.toBeNull();
  expect(receiver.openRtp(sealed[72] ?? expect.unreachable())).toBeNull();
  expect(refused).toEqual(['replay']);
});

test('the sequence overflows again and again, with losses and disorder', () => {
  const { sender, receiver, refused } = ends();
  let opened = 0;
  for (let count = 65_000; count < 65_000 + 3 * 65_536; count += 97) {
    const later = protect(sender, rtp(count + 40));
    const sooner = protect(sender, rtp(count));
    for (const packet of [later, sooner]) if (receiver.openRtp(packet) !== null) opened += 1;
  }
  expect(refused).toEqual([]);
  expect(opened).toBe(2 * Math.ceil((3 * 65_536) / 97));
});

test('who comes in after the first overflow of a sender still understands it', () => {
  const { sender, receiver } = ends();
  protect(sender, rtp(65_535));
  const second = protect(sender, rtp(65_536));
  expect(receiver.openRtp(second)).toEqual(rtp(65_536));
  expect(receiver.openRtp(protect(sender, rtp(65_537)))).toEqual(rtp(65_537));
});

test('another key, or the key of the other direction, opens nothing', () => {
  const { sender, refused } = ends();
  const other = receiverOf(newMasterKey('AES_CM_128_HMAC_SHA1_80'), refused);
  expect(other.openRtp(protect(sender, rtp(1)))).toBeNull();
  expect(other.openRtcp(sender.protectRtcp(rtcp()) ?? expect.unreachable())).toBeNull();
  expect(refused).toEqual(['authentication', 'authentication']);
});

test('the same number is not sent twice: two texts under one key stream could be read', () => {
  const { sender } = ends();
  protect(sender, rtp(5, { payload: Buffer.from('one text') }));
  expect(sender.protectRtp(rtp(5, { payload: Buffer.from('another!') }))).toBeNull();
  protect(sender, rtp(6));
});

test('sources have counters of their own, and there is an end to how many are known', () => {
  const { sender, receiver } = ends();
  for (let ssrc = 0; ssrc < 256; ssrc += 1) {
    expect(receiver.openRtp(protect(sender, rtp(65_530 + ssrc, { ssrc }))), `${ssrc}`).not.toBeNull();
  }
  expect(sender.protectRtp(rtp(1, { ssrc: 999 }))).toBeNull();
  expect(receiver.openRtp(protect(sender, rtp(70_000, { ssrc: 3 })))).not.toBeNull();
});

test('forged sources take no place: the true one comes in after a flood of them', () => {
  const { sender, receiver } = ends();
  for (let ssrc = 0; ssrc < 1_000; ssrc += 1) {
    expect(receiver.openRtp(rtp(1, { ssrc: ssrc + 100, payload: randomBytes(40) }))).toBeNull();
  }
  expect(receiver.openRtp(protect(sender, rtp(1)))).toEqual(rtp(1));
});

test.each(names)('%s: bytes that are anything at all are refused, and nothing is thrown', (profile) => {
  const { sender, receiver, refused } = ends(profile);
  const header = fc.constantFrom('', '80', '9000', '8f000001', 'b0000001000000000000000700000007ffff');
  fc.assert(
    fc.property(header, fc.uint8Array({ maxLength: 80 }), (start, rest) => {
      const bytes = Buffer.concat([Buffer.from(start, 'hex'), rest]);
      expect(receiver.openRtp(Buffer.from(bytes))).toBeNull();
      expect(receiver.openRtcp(Buffer.from(bytes))).toBeNull();
      sender.protectRtp(bytes);
      sender.protectRtcp(bytes);
    }),
    { numRuns: 300 },
  );
  expect(refused).toHaveLength(600);
  expect(receiver.openRtp(Buffer.alloc(5_000, 0x80))).toBeNull();
  expect(sender.protectRtp(Buffer.alloc(5_000, 0x80))).toBeNull();
  expect(sender.protectRtcp(Buffer.alloc(5_000, 0x80))).toBeNull();
});
