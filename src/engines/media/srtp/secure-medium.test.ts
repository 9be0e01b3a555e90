/** One medium against another, as descriptions and packets go between them; a browser, strangers, refusals. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { SimulatedTimers } from '../../sip/simulation/simulated-timers.fixture.ts';
import { newDtlsIdentity } from '../dtls/certificate.ts';
import type { Endpoint } from '../endpoint.ts';
import { attributes, messageTypes, readStunRequest, writeStun } from '../ice/stun-message.ts';
import { protocolOf } from './encryption-offered.ts';
import { EncryptionRefused } from './encryption-refused.ts';
import { SecureMedium, type SecureSettings } from './secure-medium.ts';

const identities = [newDtlsIdentity(new Date()), newDtlsIdentity(new Date())] as const;
const [here, there] = [
  { address: '192.0.2.1', port: 4_000 },
  { address: '192.0.2.2', port: 5_000 },
];

function endOf(settings: Partial<SecureSettings>, at: 0 | 1, timers = new SimulatedTimers()) {
  const end = {
    sent: [] as { packet: Buffer; to: Endpoint | null }[],
    reached: [] as Endpoint[],
    failures: [] as string[],
    dropped: [] as string[],
    ready: 0,
    at: at === 0 ? here : there,
    timers,
  };
  const user = {
    send: (packet: Buffer, to: Endpoint | null) => void end.sent.push({ packet, to }),
    reached: (where: Endpoint) => void end.reached.push(where),
    ready: () => {
      end.ready += 1;
    },
    failed: (reason: string) => void end.failures.push(reason),
  };
  const full = { encryption: 'as offered' as const, isBrowser: false, identity: identities[at], ...settings };
  return Object.assign(end, { medium: new SecureMedium(full, user, timers) });
}

type End = ReturnType<typeof endOf>;

/** Offer and answer, and what follows them on the wire. */
function negotiate(offerer: End, answerer: End): void {
  const offer = offerer.medium.offer([offerer.at]);
  const protocol = protocolOf(offer.encryption, false);
  answerer.medium.offeredBy(protocol, [...offer.medium, ...offer.session]);
  const answer = answerer.medium.answer([answerer.at]);
  offerer.medium.answered(protocol, [...answer.medium, ...answer.session]);
  carry(offerer, answerer);
}

function carry(one: End, other: End): void {
  while (one.sent.length + other.sent.length > 0) {
    for (const { packet } of one.sent.splice(0)) other.medium.received(packet, one.at);
    for (const { packet } of other.sent.splice(0)) one.medium.received(packet, other.at);
  }
}

let sequence = 0;
function rtp(): Buffer {
  const packet = Buffer.concat([Buffer.from('800000000000000000000007', 'hex'), Buffer.from('good morning')]);
  packet.writeUInt16BE(++sequence, 2);
  return packet;
}
const report = (): Buffer => Buffer.from('80c80001000000070102030405060708', 'hex');

function talk(one: End, other: End): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    for (const [kind, packet] of [
      ['rtp', rtp()],
      ['rtcp', report()],
    ] as const) {
      const sealed = Buffer.from(from.medium.protect(packet, kind) ?? expect.unreachable());
      expect(to.medium.unprotect(sealed, kind, (why) => to.dropped.push(why))).toEqual(packet);
    }
  }
}

test.each([
  ['srtp_sdes', 'srtp_sdes AES_CM_128_HMAC_SHA1_80'],
  ['srtp_dtls', 'srtp_dtls AES_CM_128_HMAC_SHA1_80'],
  ['disabled', 'disabled'],
] as const)('%s: one that demands it and one that takes what comes, whoever offers', (encryption, name) => {
  const [one, other] = [endOf({ encryption }, 0), endOf({}, 1)];
  negotiate(one, other);
  talk(one, other);
  expect([one.medium.name, other.medium.name]).toEqual([name, name]);
  const before = [one.ready, other.ready];
  // Again, the other way round: nothing changes.
  negotiate(other, one);
  talk(one, other);
  if (encryption === 'srtp_dtls') expect([one.ready, other.ready]).toEqual(before);
  expect([one.dropped, other.dropped, one.failures, other.failures]).toEqual([[], [], [], []]);
});

test('as offered: what the party described first is what it is offered later', () => {
  const [one, other] = [endOf({ encryption: 'srtp_sdes' }, 0), endOf({}, 1)];
  expect(other.medium.offer([there])).toMatchObject({ encryption: 'disabled', medium: [] });
  negotiate(one, other);
  expect(other.medium.offer([there])).toMatchObject({ encryption: 'srtp_sdes' });
});

test.each([
  ['srtp_sdes', 'RTP/AVP', [], 'Media encryption srtp_sdes is demanded, and disabled was described'],
  ['srtp_dtls', 'RTP/AVP', [], 'Media encryption srtp_dtls is demanded, and disabled was described'],
  ['disabled', 'RTP/SAVP', ['a=crypto:1 x'], 'Media encryption disabled is demanded, and srtp_sdes was described'],
  ['as offered', 'RTP/SAVP', [], 'Encrypted media were described without keys'],
  ['as offered', 'RTP/SAVP', ['a=crypto:1 x'], 'The offer names no key that can be used'],
  ['srtp_dtls', 'UDP/TLS/RTP/SAVPF', ['a=fingerprint:sha-1 00'], 'There is no fingerprint of a certificate to check'],
] as const)('%s refuses %s with %j', (encryption, protocol, lines, message) => {
  const { medium } = endOf({ encryption }, 0);
  expect(() => medium.offeredBy(protocol, lines)).toThrow(new EncryptionRefused(message));
});

test('nothing goes out in the clear before there are keys, and nothing is taken', () => {
  for (const encryption of ['srtp_sdes', 'srtp_dtls', 'as offered'] as const) {
    const { medium, dropped } = endOf({ encryption }, 0);
    medium.offer([here]);
    expect(medium.protect(rtp(), 'rtp')).toBeNull();
    expect(medium.unprotect(rtp(), 'rtp', (why) => dropped.push(why))).toBeNull();
    expect(dropped).toEqual(['authentication']);
  }
});

test.each(['srtp_sdes', 'srtp_dtls'] as const)(
  '%s: a replay, a forgery and clear packets do not count',
  (encryption) => {
    const [one, other] = [endOf({ encryption }, 0), endOf({}, 1)];
    negotiate(one, other);
    const sealed = Buffer.from(one.medium.protect(rtp(), 'rtp') ?? expect.unreachable());
    const drop = (why: string) => void other.dropped.push(why);
    expect(other.medium.unprotect(Buffer.from(sealed), 'rtp', drop)).not.toBeNull();
    expect(other.medium.unprotect(Buffer.from(sealed), 'rtp', drop)).toBeNull();
    expect(other.medium.unprotect(rtp(), 'rtp', drop)).toBeNull();
    sealed.writeUInt16BE(9_999, 2);
    expect(other.medium.unprotect(sealed, 'rtp', drop)).toBeNull();
    expect(other.dropped).toEqual(['replay', 'authentication', 'authentication']);
    talk(one, other);
  },
);

test.each(['srtp_sdes', 'srtp_dtls'] as const)('%s: an offer that was refused leaves all as it was', (encryption) => {
  const [one, other] = [endOf({ encryption }, 0), endOf({}, 1)];
  negotiate(one, other);
  const third = endOf({ encryption }, 0);
  const offer = third.medium.offer([here]);
  other.medium.offeredBy(protocolOf(encryption, false), offer.medium);
  other.medium.offeredBy('RTP/AVP', []);
  talk(one, other);
  expect(other.medium.offer([there]).encryption).toBe(encryption);
});

test('another party in its place: a new fingerprint is a new handshake, after which the old keys are worth nothing', () => {
  const [one, other] = [endOf({ encryption: 'srtp_dtls' }, 0), endOf({}, 1)];
  negotiate(one, other);
  const third = endOf({ encryption: 'srtp_dtls', identity: newDtlsIdentity(new Date()) }, 0);
  negotiate(third, other);
  talk(third, other);
  const late = Buffer.from(one.medium.protect(rtp(), 'rtp') ?? expect.unreachable());
  expect(other.medium.unprotect(late, 'rtp', (why) => other.dropped.push(why))).toBeNull();
  expect(other.dropped).toEqual(['authentication']);
});

test('a wrong fingerprint: no keys, and it says why', () => {
  const thief = { ...identities[0], privateKey: newDtlsIdentity(new Date()).privateKey };
  const [one, other] = [endOf({ encryption: 'srtp_dtls', identity: thief }, 0), endOf({}, 1)];
  negotiate(one, other);
  expect([one.ready, other.ready]).toEqual([0, 0]);
  expect([...one.failures, ...other.failures]).toContain('The peer does not have the key of its certificate');
});

test('a peer that begins before its answer is there is not lost', () => {
  const [one, other] = [endOf({ encryption: 'srtp_dtls' }, 0), endOf({ encryption: 'srtp_dtls' }, 1)];
  const offer = one.medium.offer([here]);
  other.medium.offeredBy(
    'UDP/TLS/RTP/SAVP',
    offer.medium.map((line) => line.replace('actpass', 'passive')),
  );
  const answer = other.medium.answer([there]);
  const first = other.sent.splice(0)[0]?.packet ?? expect.unreachable();
  one.medium.received(first, there);
  expect(one.sent).toEqual([]);
  one.medium.answered('UDP/TLS/RTP/SAVP', answer.medium);
  expect(one.sent).not.toEqual([]);
  carry(one, other);
  talk(one, other);
  expect(one.reached).toEqual([there]);
});

test('a passive peer that only rings is asked again, for as long as the call lasts', () => {
  const one = endOf({ encryption: 'srtp_dtls' }, 0);
  const other = endOf({ encryption: 'srtp_dtls' }, 1);
  const offer = other.medium.offer([there]).medium.map((line) => line.replace('actpass', 'passive'));
  one.medium.offeredBy('UDP/TLS/RTP/SAVP', offer);
  const answer = one.medium.answer([here]);
  for (let second = 0; second < 60; second += 1) one.timers.advance(1_000);
  expect(one.sent.length).toBeLessThan(40);
  expect(one.failures.length).toBe(2);
  one.sent.length = 0;
  other.medium.answered('UDP/TLS/RTP/SAVP', answer.medium);
  one.timers.advance(4_000);
  carry(one, other);
  talk(one, other);
  one.medium.close();
  expect(one.timers.pending).toBe(0);
});

/** Its checks, which only those can make who have read our description. */
function checkOf(lines: readonly string[], isNominated: boolean): Buffer {
  const valueIn = (name: string) => lines.find((line) => line.startsWith(`a=${name}:`))?.slice(name.length + 3) ?? '';
  const parts = [
    [attributes.userName, Buffer.from(`${valueIn('ice-ufrag')}:browser`)],
    ...(isNominated ? [[attributes.useCandidate, Buffer.alloc(0)] as const] : []),
  ] as const;
  const message = { type: messageTypes.request, transaction: randomBytes(12), attributes: parts };
  return writeStun(message, valueIn('ice-pwd'));
}

test('a browser: lite ICE, handshakes by checked paths only, and media where it nominates', () => {
  const us = endOf({ isBrowser: true }, 0);
  const browser = endOf({ encryption: 'srtp_dtls' }, 1);
  const offer = browser.medium.offer([there]);
  const lines = [...offer.medium, 'a=ice-ufrag:browser', 'a=ice-pwd:0123456789012345678901'];
  expect(() => us.medium.offeredBy('UDP/TLS/RTP/SAVPF', offer.medium)).toThrow('A browser has to describe');
  us.medium.offeredBy('UDP/TLS/RTP/SAVPF', lines);
  const answer = us.medium.answer([here]);
  expect(answer.session).toEqual(['a=ice-lite']);
  expect(answer.medium.join('\n')).toMatch(
    /a=fingerprint:sha-256 .*\na=setup:passive\na=ice-ufrag:.*\na=ice-pwd:.*\na=candidate:1 1 udp 2130706431 192.0.2.1 4000 typ host/s,
  );
  browser.medium.answered('UDP/TLS/RTP/SAVPF', answer.medium);

  // Its handshake came before its checks: nothing is said to somebody who may be anybody.
  for (const { packet } of browser.sent.splice(0)) expect(us.medium.received(packet, there)).toBe(true);
  us.medium.received(
    checkOf(
      answer.medium.map((line) => line.replace(/ice-pwd:.*/, 'ice-pwd:guessed')),
      true,
    ),
    there,
  );
  expect(us.sent).toEqual([]);

  us.medium.received(checkOf(answer.medium, true), there);
  expect(us.sent).toMatchObject([{ to: there }]);
  expect(readStunRequest(us.sent.splice(0)[0]?.packet ?? Buffer.alloc(0))).toBeNull();
  expect(us.reached).toEqual([there]);
  browser.timers.advance(400);
  carry(browser, us);
  talk(browser, us);

  const elsewhere = { address: '198.51.100.3', port: 6_000 };
  us.medium.received(checkOf(answer.medium, false), elsewhere);
  expect(us.reached).toEqual([there]);
  us.medium.received(checkOf(answer.medium, true), elsewhere);
  expect(us.reached).toEqual([there, elsewhere]);
});
