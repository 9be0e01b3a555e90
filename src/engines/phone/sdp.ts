/**
 * The SDP (RFC 4566, RFC 3264) of one end of an audio call: what it offers, and what its peer says. G.711 and digits
 * only.
 */
import { randomInt } from 'node:crypto';
import { isIP } from 'node:net';
import {
  codecOf,
  connectionAddress,
  directionOf,
  type Media,
  type MediaDirection,
  mediaLine,
  parseDescription,
} from '../sdp/description.ts';
import { type Codec, payloadTypes } from '../speech/rtp.ts';

/** What the peer says about its audio. */
export interface AudioDescription {
  readonly address: string;
  /** 0 if it refuses audio. */
  readonly port: number;
  /** In the peer's order of preference. */
  readonly codecs: readonly Codec[];
  /** Payload type of telephone events; null if it takes none. */
  readonly eventType: number | null;
  /** As the peer sees it: `sendonly` if it does not listen. */
  readonly direction: MediaDirection;
  /** The media lines, for an answer, which must have as many. */
  readonly media: readonly string[];
  /** Index of the audio among them. */
  readonly audioIndex: number;
}

interface LocalAudio {
  readonly address: string;
  readonly port: number;
}

export const sdpType = 'application/sdp';
/** For an offer; an answer uses the type of the offer. */
const usualEventType = 101;

/** An SDP that no audio call can be made of. */
export class SdpError extends Error {}

export function readAudio(body: Buffer): AudioDescription {
  const { session, media } = parseDescription(body);
  const audioIndex = media.findIndex(isPlainAudio);
  const audio = media[audioIndex];
  if (audio === undefined) throw new SdpError('it has no audio that is sent in the clear');
  return {
    address: addressOf(audio, session),
    port: Number.parseInt(audio.port, 10),
    codecs: audio.formats.flatMap((format) => knownCodec(format)),
    eventType: eventTypeOf(audio),
    direction: directionOf(session, audio),
    media: media.map(mediaLine),
    audioIndex,
  };
}

const isPlainAudio = ({ kind, port, protocol }: Media): boolean =>
  kind === 'audio' && protocol === 'RTP/AVP' && /^\d+(\/\d+)?$/.test(port);

interface DescribeOptions {
  /** What this end takes, the preferred first; both if absent. */
  codecs?: readonly Codec[];
  /** Of the description: every new one of a call has a higher one. */
  version?: number;
}

const bothCodecs: readonly Codec[] = ['PCMU', 'PCMA'];

export function offerAudio(
  local: LocalAudio,
  direction: MediaDirection = 'sendrecv',
  { codecs = bothCodecs, version = 1 }: DescribeOptions = {},
): Buffer {
  const formats = [...codecs.map((codec) => payloadTypes[codec]), usualEventType].join(' ');
  return formatSdp(local, version, [
    `m=audio ${local.port} RTP/AVP ${formats}`,
    ...rtpMaps(codecs, usualEventType),
    `a=${direction}`,
  ]);
}

/** With the first codec that both have; other media are refused. Throws if there is none. */
export function answerAudio(
  offer: AudioDescription,
  local: LocalAudio,
  { codecs = bothCodecs, version = 1 }: DescribeOptions = {},
): Buffer {
  const codec = commonCodec(offer, codecs);
  if (codec === undefined) throw new SdpError('it has no codec in common');
  const formats = [payloadTypes[codec], ...(offer.eventType === null ? [] : [offer.eventType])];
  const audio = [
    `m=audio ${local.port} RTP/AVP ${formats.join(' ')}`,
    ...rtpMaps([codec], offer.eventType),
    `a=${mirrored[offer.direction]}`,
  ];
  const media = offer.media.flatMap((line, index) => (index === offer.audioIndex ? audio : [refused(line)]));
  return formatSdp(local, version, media);
}

/** The first of the peer that this end takes. */
export function commonCodec({ codecs }: AudioDescription, own: readonly Codec[] = bothCodecs): Codec | undefined {
  return codecs.find((codec) => own.includes(codec));
}

const mirrored: Readonly<Record<MediaDirection, MediaDirection>> = {
  sendrecv: 'sendrecv',
  sendonly: 'recvonly',
  recvonly: 'sendonly',
  inactive: 'inactive',
};

/** Whether the peer listens. The address 0.0.0.0 is how old phones say that they do not. */
export function listens({ direction, address, port }: AudioDescription): boolean {
  return (direction === 'sendrecv' || direction === 'recvonly') && address !== '0.0.0.0' && port !== 0;
}

function addressOf(audio: Media, session: readonly string[]): string {
  const address = connectionAddress([...audio.lines, ...session]) ?? '';
  if (isIP(address) === 0) throw new SdpError('it names no address');
  return address;
}

function knownCodec(format: string): Codec[] {
  if (format === String(payloadTypes.PCMU)) return ['PCMU'];
  return format === String(payloadTypes.PCMA) ? ['PCMA'] : [];
}

function eventTypeOf(audio: Media): number | null {
  const found = audio.formats.find((format) => codecOf(audio, format) === 'telephone-event/8000');
  return found === undefined ? null : Number(found);
}

function rtpMaps(codecs: readonly Codec[], eventType: number | null): string[] {
  const audio = codecs.map((codec) => `a=rtpmap:${payloadTypes[codec]} ${codec}/8000`);
  const events = eventType === null ? [] : [`a=rtpmap:${eventType} telephone-event/8000`, `a=fmtp:${eventType} 0-15`];
  return [...audio, ...events, 'a=ptime:20'];
}

function refused(line: string): string {
  return line.replace(/^(m=\S+) \S+/, '$1 0');
}

function formatSdp({ address }: LocalAudio, version: number, media: readonly string[]): Buffer {
  const family = isIP(address) === 6 ? 'IP6' : 'IP4';
  const lines = [
    'v=0',
    `o=- ${sessionId} ${version} IN ${family} ${address}`,
    's=-',
    `c=IN ${family} ${address}`,
    't=0 0',
    ...media,
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n`);
}

/** Together with the version it names a description; one process needs only one. */
const sessionId = randomInt(1, 2 ** 40);
