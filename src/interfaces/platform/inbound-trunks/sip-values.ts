/** Values that SIP trunks of both directions share: codecs, codes, and generated credentials. */

import { randomInt } from 'node:crypto';
import { reroutingCodes, ringingTimeoutCode } from '../../../business/voice/disconnect-codes.ts';

export const codecTexts = {
  6: 'telephone-event',
  7: 'G.723',
  8: 'G.729',
  9: 'PCMU (G.711 µ-law)',
  10: 'PCMA (G.711 A-law)',
  12: 'Speex',
  13: 'GSM',
  14: 'G.726-32',
  15: 'G.721',
  16: 'G.726-24',
  17: 'G.726-40',
  18: 'G.726-16',
  19: 'L16',
};

export const transports = { 1: 'UDP', 2: 'TCP', 3: 'TLS' };

export const networks = {
  force_ipv4: 'IPv4 only.',
  force_ipv6: 'IPv6 only.',
  any: 'Whichever the name leads to.',
  prefer_ipv4: 'IPv4, or IPv6 where there is none.',
  prefer_ipv6: 'IPv6, or IPv4 where there is none.',
};

export const receivedDtmf = {
  1: 'RFC 2833',
  2: 'SIP INFO (dtmf-relay or dtmf)',
  3: 'RFC 2833 or SIP INFO',
};

/** Sources disagree on what the numbers mean; all of them are stored and returned as sent (ruling). */
export const sentDtmf = {
  0: 'Off',
  1: 'RFC 2833',
  2: 'SIP INFO, dtmf-relay',
  3: 'SIP INFO, dtmf-relay, as some clients number it',
  4: 'SIP INFO, dtmf',
};

export const sessionRefresh = { 1: 'INVITE', 2: 'UPDATE', 3: 'UPDATE, or INVITE where that is not known' };

/** Settings of media that trunks of both directions have: what each does. */
export const mediaDocs = {
  encryption:
    'Which encryption of media your side must use; anything else is refused with 488. The other side has its own, ' +
    'except with `zrtp` and where the operator lets media flow past the server (`TRUNKLINE_MEDIA=direct`): there ' +
    'both sides must use this one.',
  allowedAddresses:
    'Addresses and subnets that your session descriptions may name for media, and that packets may come from; null ' +
    'allows any. Packets are looked at by the embedded media engine only.',
  symmetric:
    'Whether your side is always sent to where its packets come from; otherwise only if it describes an address that ' +
    'cannot be reached. rtpengine always does; with `TRUNKLINE_MEDIA=direct` without effect.',
  ping:
    'Whether empty packets open the path through a NAT until your side sends. With `TRUNKLINE_MEDIA=direct` without ' +
    'effect.',
  timeout:
    'Seconds without media from your side after which an answered call ends; a side on hold need not send. With ' +
    '`TRUNKLINE_MEDIA=direct` without effect.',
} as const;

export const mediaEncryptionModes = {
  disabled: 'Media is not encrypted.',
  srtp_sdes: 'SRTP with keys in the SDP.',
  srtp_dtls: 'SRTP with keys agreed over DTLS.',
  zrtp: 'ZRTP.',
};

export const stirShakenModes = {
  disabled: 'Nothing is passed on.',
  original: 'The `Identity` header as it came.',
  pai: 'The result in `P-Asserted-Identity`.',
  original_pai: 'Both of these.',
  verstat: 'The result as `verstat` parameter.',
};

export const diversionRelays = {
  none: '`Diversion` headers are dropped.',
  as_is: 'They are passed on as they came.',
  sip: 'They are passed on as SIP URIs.',
  tel: 'They are passed on as tel URIs.',
};

export const diversionInjections = {
  none: 'No header is added.',
  did_number: 'A `Diversion` header names the number that was called.',
};

/** Ids of the ends of an attempt after which the next trunk of the group is tried. */
export const reroutingCodeTexts: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(reroutingCodes).map(([id, status]) => [
    id,
    status === ringingTimeoutCode ? 'It rang until the ringing timeout.' : `SIP status ${status}`,
  ]),
);

const credentialAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Returns a random user name or password: 16 letters and digits, as in the contract's examples. */
export function generateCredential(): string {
  return Array.from({ length: 16 }, () => credentialAlphabet[randomInt(credentialAlphabet.length)]).join('');
}
