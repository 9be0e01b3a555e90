/** Checks of ICE as a browser sends them, the test vectors of RFC 5769, and what strangers send instead. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describesIce, IceLite } from './ice-lite.ts';
import { xorMappedAddress } from './mapped-address.ts';
import { attributes, messageTypes, readStunRequest, writeStun } from './stun-message.ts';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(/\s/g, ''), 'hex');
const from = { address: '192.0.2.7', port: 40_000 };

/** RFC 5769, 2.1. */
const sample = bytes(`
  00010058 2112a442 b7e7a701 bc34d686 fa87dfae 80220010 5354554e 20746573 7420636c 69656e74 00240004 6e0001ff
  80290008 932ff9b1 51263b36 00060009 6576746a 3a683676 59202020 00080014 9aeaa70c bfd8cb56 781ef2b5 b2d3f249
  c1b571a2 80280004 e57a3bcf`);

test('RFC 5769 2.1: a request with integrity and fingerprint', () => {
  const request = readStunRequest(sample) ?? expect.unreachable();
  expect(request.attributes.get(attributes.userName)?.toString()).toBe('evtj:h6vY');
  expect(request.isFrom('VOkJxbRl1RmTxUk/WvJxBt')).toBe(true);
  expect(request.isFrom('VOkJxbRl1RmTxUk/WvJxBs')).toBe(false);
});

test.each([
  ['2.2', '192.0.2.1', '0001a147e112a643'],
  ['2.3', '2001:db8:1234:5678:11:2233:4455:6677', '0002a147 0113a9fa a5d3f179 bc25f4b5 bed2b9d9'],
])('RFC 5769 %s: where %s came from', (_, address, expected) => {
  const transaction = bytes('b7e7a701 bc34d686 fa87dfae');
  expect(xorMappedAddress({ address, port: 32_853 }, transaction)).toEqual(bytes(expected));
});

test.each([
  ['::1', '00000000000000000000000000000001'],
  ['::', '00000000000000000000000000000000'],
  ['fe80::1%eth0', 'fe800000000000000000000000000001'],
  ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
  ['2001:db8::', '20010db8000000000000000000000000'],
])('the bytes of %s', (address, expected) => {
  const masked = xorMappedAddress({ address, port: 1 }, Buffer.alloc(12)).subarray(4);
  masked.writeUInt32BE((masked.readUInt32BE(0) ^ 0x2112a442) >>> 0, 0);
  expect(masked.toString('hex')).toBe(expected);
});

/** A peer of these lines. */
function peerOf(ice: IceLite, ufrag = 'peer') {
  const lines = ice.mediaLines([from]);
  const valueIn = (name: string) => lines.find((line) => line.startsWith(`a=${name}:`))?.split(/:(.*)/)[1] ?? '';
  const [fragment, password] = [valueIn('ice-ufrag'), valueIn('ice-pwd')];
  return (
    more: readonly (readonly [number, Buffer])[] = [],
    { name = `${fragment}:${ufrag}`, key = password } = {},
  ) => {
    const parts = [
      [attributes.userName, Buffer.from(name)],
      [attributes.priority, Buffer.alloc(4, 1)],
      ...more,
    ] as const;
    return writeStun({ type: messageTypes.request, transaction: randomBytes(12), attributes: parts }, key);
  };
}

function describedIce() {
  const ice = new IceLite();
  ice.described(['a=ice-ufrag:peer', 'a=ice-pwd:anything'], true);
  return ice;
}

test('what it says of itself', () => {
  const ice = new IceLite();
  expect(ice.sessionLines).toEqual(['a=ice-lite']);
  const lines = ice.mediaLines([
    { address: '192.0.2.1', port: 5_000 },
    { address: '2001:db8::1', port: 5_002 },
  ]);
  expect(lines).toEqual([
    expect.stringMatching(/^a=ice-ufrag:[A-Za-z0-9+/]{4,}$/),
    expect.stringMatching(/^a=ice-pwd:[A-Za-z0-9+/]{22,}$/),
    'a=candidate:1 1 udp 2130706431 192.0.2.1 5000 typ host',
    'a=candidate:2 1 udp 2130706175 2001:db8::1 5002 typ host',
    'a=end-of-candidates',
  ]);
  expect(new IceLite().mediaLines([])).not.toEqual(ice.mediaLines([]));
});

test('a check is answered with where it came from, and nominates if it says so', () => {
  const ice = describedIce();
  const check = peerOf(ice);
  const packet = check();
  const answered = ice.received(packet, from) ?? expect.unreachable();
  expect(answered).toMatchObject({ isValid: true, isNominated: false });
  expect(answered.response.readUInt16BE(0)).toBe(messageTypes.success);
  expect(answered.response.subarray(8, 20)).toEqual(packet.subarray(8, 20));
  expect(answered.response.includes(xorMappedAddress(from, packet.subarray(8, 20)))).toBe(true);
  expect(ice.received(check([[attributes.useCandidate, Buffer.alloc(0)]]), from)).toMatchObject({ isNominated: true });
  // Consent: the same again, for as long as the call lasts.
  for (let count = 0; count < 10; count += 1) expect(ice.received(check(), from)).toMatchObject({ isValid: true });
});

test('a peer that does not control either is told so', () => {
  const ice = describedIce();
  const { response, isValid } =
    ice.received(peerOf(ice)([[attributes.iceControlled, Buffer.alloc(8)]]), from) ?? expect.unreachable();
  expect(isValid).toBe(false);
  expect(response.readUInt16BE(0)).toBe(messageTypes.error);
  expect(response.includes(Buffer.from('\0\0\x04\x57Role Conflict', 'latin1'))).toBe(true);
});

test('an attribute that must be understood and is not is named', () => {
  const ice = describedIce();
  const { response } = ice.received(peerOf(ice)([[0x7001, Buffer.alloc(4)]]), from) ?? expect.unreachable();
  expect(response.includes(Buffer.from('\0\0\x04\x14Unknown Attribute', 'latin1'))).toBe(true);
  expect(response.includes(bytes('000a00027001'))).toBe(true);
  expect(ice.received(peerOf(ice)([[0xc057, Buffer.alloc(4)]]), from)).toMatchObject({ isValid: true });
});

test('strangers get no answer: wrong password, wrong names, no integrity, an integrity that does not cover it', () => {
  const ice = describedIce();
  const check = peerOf(ice);
  const name =
    peerOf(ice)()
      .toString('latin1')
      .match(/[A-Za-z0-9+/]{8}:peer/)?.[0] ?? '';
  expect(ice.received(check([], { key: 'guessed' }), from)).toBeNull();
  expect(ice.received(check([], { name: 'someone:peer' }), from)).toBeNull();
  expect(ice.received(check([], { name: name.replace('peer', 'other') }), from)).toBeNull();
  expect(ice.received(check([], { name: '' }), from)).toBeNull();
  expect(ice.received(sample, from)).toBeNull();
  const packet = check();
  expect(ice.received(packet.subarray(0, packet.length - 8), from)).toBeNull();
  expect(ice.received(check(), from)).not.toBeNull();
});

test('a peer that begins anew gets new names, and its old path stays', () => {
  const ice = describedIce();
  const old = peerOf(ice);
  const before = ice.mediaLines([]);
  ice.described(['a=ice-ufrag:peer'], true);
  expect(ice.mediaLines([])).toEqual(before);
  const taken = new IceLite();
  taken.described(['a=ice-ufrag:one'], false);
  const offered = taken.mediaLines([]);
  // An answer comes to what we have offered, whoever gives it.
  taken.described(['a=ice-ufrag:another'], false);
  expect(taken.mediaLines([])).toEqual(offered);
  ice.described(['a=ice-ufrag:peer2'], true);
  expect(ice.mediaLines([])).not.toEqual(before);
  expect(ice.received(old(), from)).not.toBeNull();
  expect(ice.received(peerOf(ice, 'peer2')(), from)).not.toBeNull();
  expect(ice.received(peerOf(ice, 'peer')(), from)).toBeNull();
  expect(describesIce(['a=mid:0', 'a=ice-ufrag:x'])).toBe(false);
  expect(describesIce(['a=mid:0', 'a=ice-ufrag:peer'])).toBe(true);
});

test('any bytes, and any change of one that would be answered, are dropped without an error', () => {
  const ice = describedIce();
  const good = peerOf(ice)();
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const packet = Buffer.from(good);
      packet.writeUInt8(packet.readUInt8(at) ^ change, at);
      expect(ice.received(packet, from)).toBeNull();
    }),
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), (rest) => {
      const head = Buffer.from('000100002112a442', 'hex');
      head.writeUInt16BE(Math.max(0, rest.length - 12), 2);
      expect(ice.received(Buffer.concat([head, rest]), from)).toBeNull();
      expect(ice.received(Buffer.from(rest), from)).toBeNull();
    }),
  );
  const many = peerOf(ice)(Array.from({ length: 300 }, () => [0xc000, Buffer.alloc(0)] as const));
  expect(ice.received(many, from)).toBeNull();
});
