/**
 * What is changed and checked in session descriptions on their way between two legs (RFC 8866): the codecs that a trunk
 * takes, in its order, and whether media are encrypted as it demands.
 */

import {
  asDirection,
  codecOf,
  connectionAddress,
  type Description,
  formatDescription,
  type Media,
  parseDescription,
} from '../../engines/sdp/description.ts';
import type { Content } from '../../engines/sip/dialog/agent.ts';
import { copyToKeep } from '../../engines/sip/message/kept-bytes.ts';
import type { SipMessage } from '../../engines/sip/message/message.ts';
import { bodyPart } from '../../engines/sip/message/multipart.ts';

/** Names of codecs by the ids of the contract. */
const codecNames: Readonly<Record<number, readonly string[]>> = {
  6: ['telephone-event'],
  7: ['g723'],
  8: ['g729'],
  9: ['pcmu'],
  10: ['pcma'],
  12: ['speex'],
  13: ['gsm'],
  14: ['g726-32'],
  15: ['g721', 'g726-32'],
  16: ['g726-24'],
  17: ['g726-40'],
  18: ['g726-16'],
  19: ['l16'],
};

/** Their names in descriptions, in lower case. */
export const codecsOf = (codecIds: readonly number[]): string[] => codecIds.flatMap((id) => codecNames[id] ?? []);

const telephoneEvent = 'telephone-event';

export type MediaEncryption = 'disabled' | 'srtp_sdes' | 'srtp_dtls' | 'zrtp';

function format(description: Description): Buffer {
  return copyToKeep(formatDescription(description));
}

const nameOf = (codec: string): string => codec.split('/')[0] ?? '';
const clockOf = (codec: string): string => codec.split('/')[1] ?? '';

interface CodecRule {
  /** Ids of the contract in the order of preference; null takes every codec. */
  codecIds: readonly number[] | null;
  /** Whether keypresses may be sent as telephone events. */
  telephoneEvents: boolean;
}

/**
 * Keeps the codecs of the audio sections that the rule lists, in its order. A telephone event stays if a codec with the
 * same clock rate does: peers offer it twice, with payload types of their own. Returns null if no audio codec is left.
 */
export function filterCodecs(body: Buffer, { codecIds, telephoneEvents }: CodecRule): Buffer | null {
  const description = parseDescription(body);
  for (const media of description.media) {
    if (media.kind !== 'audio' || media.port === '0') continue;
    const kept = keptFormats(media, codecIds, telephoneEvents);
    if (kept === null) return null;
    const isKept = (line: string) => {
      const payload = /^a=(?:rtpmap|fmtp|rtcp-fb):(\S+) /.exec(line)?.[1];
      return payload === undefined || payload === '*' || kept.includes(payload);
    };
    Object.assign(media, { formats: kept, lines: media.lines.filter(isKept) });
  }
  return format(description);
}

function keptFormats(media: Media, codecIds: readonly number[] | null, telephoneEvents: boolean): string[] | null {
  const codecs = media.formats.map((payload) => ({ payload, codec: codecOf(media, payload) }));
  const isEvent = ({ codec }: { codec: string }) => nameOf(codec) === telephoneEvent;
  const wanted =
    codecIds === null
      ? codecs.filter((one) => !isEvent(one))
      : codecIds.flatMap((id) => codecs.filter((one) => !isEvent(one) && codecNames[id]?.includes(nameOf(one.codec))));
  if (wanted.length === 0) return null;
  const clocks = new Set(wanted.map(({ codec }) => clockOf(codec)));
  const mayHaveEvents = telephoneEvents && (codecIds === null || codecIds.includes(6));
  const events = mayHaveEvents ? codecs.filter((one) => isEvent(one) && clocks.has(clockOf(one.codec))) : [];
  return [...new Set([...wanted, ...events].map(({ payload }) => payload))];
}

/**
 * Why a medium is not encrypted as demanded, null if all are. Half secure media would be silence.
 */
export function encryptionRefusal(body: Buffer, mode: MediaEncryption): string | null {
  const description = parseDescription(body);
  for (const media of description.media) {
    if (media.kind !== 'audio' || media.port === '0') continue;
    const found = encryptionOf(description, media);
    if (!found.includes(mode)) return `Media encryption differs: ${mode} is demanded, ${found.join(' or ')} came`;
  }
  return null;
}

/** The modes that a medium can be of; ZRTP is agreed in plain media. */
function encryptionOf({ session }: Description, media: Media): string[] {
  const has = (name: string) => [...session, ...media.lines].some((line) => line.startsWith(`a=${name}`));
  if (!/SAVPF?$/.test(media.protocol)) return has('zrtp-hash:') ? ['zrtp', 'disabled'] : ['disabled'];
  const modes = [...(has('crypto:') ? ['srtp_sdes'] : []), ...(has('fingerprint:') ? ['srtp_dtls'] : [])];
  return modes.length > 0 ? modes : ['SRTP without keys'];
}

/**
 * The same media, with telephone events in audio that has none: those of the offer that it answers (null for an offer).
 * For a party whose key presses are taken out before the other side would get them.
 */
export function withTelephoneEvents(body: Buffer, offer: Buffer | null): Buffer {
  const offered = offer && parseDescription(offer).media;
  const { session, media } = parseDescription(body);
  return format({ session, media: media.map((one, index) => withEvents(one, offered && (offered[index] ?? null))) });
}

function withEvents(media: Media, offered: Media | null | undefined): Media {
  const isEvent = (of: Media) => (payload: string) => nameOf(codecOf(of, payload)) === telephoneEvent;
  const { kind, port, formats, lines } = media;
  if (kind !== 'audio' || port === '0' || formats.some(isEvent(media))) return media;
  const clock = clockOf(codecOf(media, formats[0] ?? '')) || '8000';
  const payload = offered
    ? offered.formats.filter(isEvent(offered)).find((one) => clockOf(codecOf(offered, one)) === clock)
    : freePayload(formats);
  if (payload === undefined) return media;
  const described = [`a=rtpmap:${payload} ${telephoneEvent}/${clock}`, `a=fmtp:${payload} 0-15`];
  return { ...media, formats: [...formats, payload], lines: [...lines, ...described] };
}

/** The number that most phones use, or the next one. */
const freePayload = (formats: readonly string[]): string | undefined =>
  Array.from({ length: 27 }, (_, at) => String(101 + at)).find((payload) => !formats.includes(payload));

/** Why media would go to an address that is not on the list, null if none would. */
export function addressRefusal(body: Buffer, isListed: (address: string) => boolean): string | null {
  const other = mediaAddresses(body).find((address) => !isListed(address));
  return other === undefined ? null : `Media address ${other} is not allowed`;
}

/** The addresses to which media are to be sent. */
function mediaAddresses(body: Buffer): string[] {
  const description = parseDescription(body);
  const common = connectionAddress(description.session);
  return description.media
    .filter(({ port }) => port !== '0')
    .map(({ lines }) => connectionAddress(lines) ?? common)
    .filter((address) => address !== undefined);
}

/** The same media, with both directions open again. */
export function withoutHold(body: Buffer): Buffer {
  const isOther = (line: string) => asDirection(line) === undefined;
  const { session, media } = parseDescription(body);
  return format({
    session: session.filter(isOther),
    media: media.map((one) => ({ ...one, lines: one.lines.filter(isOther) })),
  });
}

/** Whether both describe the same addresses, ports and formats, whatever else differs. */
export function describesSameMedia(one: Buffer, other: Buffer): boolean {
  const essence = (body: Buffer) =>
    JSON.stringify([
      mediaAddresses(body),
      parseDescription(body).media.map(({ kind, port, protocol, formats }) => [kind, port, protocol, formats]),
    ]);
  return essence(one) === essence(other);
}

/** The session description of a message, also as a part of a multipart body; null if it has none. */
export function sdpOf(message: SipMessage): Buffer | null {
  if (message.body.length === 0) return null;
  return bodyPart(message, 'application/sdp')?.body ?? null;
}

export const sdpContent = (body: Buffer): Content => ({ type: 'application/sdp', body });
