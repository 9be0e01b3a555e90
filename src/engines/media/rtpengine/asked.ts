/** What rtpengine is asked to do with a description, by the settings of the two parties. */
import type { LegEncryption } from '../media-engine.ts';
import type { Bencoded } from './bencode.ts';
import type { RtpengineLeg } from './leg.ts';

/**
 * Suites that nobody should agree on: no encryption at all, and what hardly any peer knows. With GCM baresip hears
 * nothing: it and rtpengine, as Debian has both, do not understand each other.
 */
const unwantedSuites = [
  ...['AEAD_AES_256_GCM', 'AEAD_AES_128_GCM', 'AES_256_CM_HMAC_SHA1_32'],
  ...['NULL_HMAC_SHA1_80', 'NULL_HMAC_SHA1_32', 'F8_128_HMAC_SHA1_80', 'F8_128_HMAC_SHA1_32'],
  ...['AES_192_CM_HMAC_SHA1_80', 'AES_192_CM_HMAC_SHA1_32'],
];

type Asked = { readonly [key: string]: Bencoded };

/** Of an offer and its answer alike. */
export function askedFor(from: RtpengineLeg, to: RtpengineLeg): Asked {
  const pair = [from, to];
  return {
    replace: ['origin', 'session-connection'],
    flags: [
      // It learns once where packets come from, and drops what comes from elsewhere later.
      'strict source',
      // It knows no lists: of those who must come from one only the address and port count that they described.
      ...(from.settings.allowedAddresses === null ? [] : ['asymmetric']),
      ...(pair.some(({ settings }) => settings.pings) ? ['pierce NAT'] : []),
      // Key presses can be sent where one party has them in SIP INFO.
      ...(pair.some(({ settings }) => settings.keyPresses !== 'passed') ? ['inject DTMF'] : []),
    ],
    ICE: to.settings.isBrowser ? 'force' : 'remove',
    'rtcp-mux': to.settings.isBrowser ? ['offer', 'require'] : ['demux'],
  };
}

/** An answer follows the offer; only an offer chooses how the media are protected, and the family of the address. */
export function askedOfOffer(from: RtpengineLeg, to: RtpengineLeg): Asked {
  const family = to.settings.family === null ? to.described?.addressFamily : familyNames[to.settings.family];
  return { ...protectionOf(from, to), ...(family !== undefined && { 'address family': family }) };
}

const familyNames = { 4: 'IP4', 6: 'IP6' } as const;

function protectionOf(from: RtpengineLeg, to: RtpengineLeg): Asked {
  if (to.settings.isBrowser) return { 'transport-protocol': 'UDP/TLS/RTP/SAVPF', SDES: ['off'] };
  // The two parties agree on the keys of ZRTP in their media.
  if ([from, to].some(({ settings }) => settings.encryption === 'zrtp')) return {};
  return asked[to.settings.encryption === 'as offered' ? offeredBy(to) : to.settings.encryption];
}

const asked: Readonly<Record<Exclude<LegEncryption, 'as offered'>, Asked>> = {
  disabled: { 'transport-protocol': 'RTP/AVP' },
  srtp_sdes: { 'transport-protocol': 'RTP/SAVP', DTLS: 'off', SDES: unwantedSuites.map((suite) => `no-${suite}`) },
  srtp_dtls: { 'transport-protocol': 'UDP/TLS/RTP/SAVP', SDES: ['off'] },
  zrtp: {},
};

function offeredBy({ described }: RtpengineLeg): Exclude<LegEncryption, 'as offered'> {
  if (described === null || !/SAVPF?$/.test(described.protocol)) return 'disabled';
  return described.has('fingerprint:') && !described.has('crypto:') ? 'srtp_dtls' : 'srtp_sdes';
}
