/**
 * What is changed and checked in session descriptions on their way between two legs (RFC 8866): the codecs that a trunk
 * takes, in its order, and whether media are encrypted as it demands. Media themselves do not pass through here.
 */

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

/** Payload types that need no `rtpmap` (RFC 3551). */
const staticPayloads: Readonly<Record<string, string>> = {
  ...{ 0: 'pcmu/8000', 2: 'g726-32/8000', 3: 'gsm/8000', 4: 'g723/8000', 8: 'pcma/8000', 9: 'g722/8000' },
  ...{ 10: 'l16/44100', 11: 'l16/44100', 18: 'g729/8000' },
};

const telephoneEvent = 'telephone-event';

export type MediaEncryption = 'disabled' | 'srtp_sdes' | 'srtp_dtls' | 'zrtp';

/** A media section: its `m=` line and what follows it. */
interface Media {
  kind: string;
  port: string;
  protocol: string;
  formats: string[];
  lines: string[];
}

interface Description {
  session: string[];
  media: Media[];
}

function parse(body: Buffer): Description {
  const description: Description = { session: [], media: [] };
  for (const line of body.toString('utf8').split(/\r?\n/)) {
    if (line === '') continue;
    const [, kind, port, protocol, formats] = /^m=(\S+) (\S+) (\S+)(.*)$/.exec(line) ?? [];
    if (kind !== undefined && port !== undefined && protocol !== undefined) {
      description.media.push({ kind, port, protocol, formats: (formats ?? '').trim().split(/ +/), lines: [] });
    } else (description.media.at(-1)?.lines ?? description.session).push(line);
  }
  return description;
}

function format({ session, media }: Description): Buffer {
  const lines = media.flatMap(({ kind, port, protocol, formats, lines: own }) => [
    `m=${kind} ${port} ${protocol} ${formats.join(' ')}`,
    ...own,
  ]);
  return copyToKeep(Buffer.from(`${[...session, ...lines].join('\r\n')}\r\n`));
}

/** `name/clock` in lower case, by payload type. */
function codecOf(media: Media, payload: string): string {
  const line = media.lines.find((one) => one.startsWith(`a=rtpmap:${payload} `));
  return (
    line
      ?.slice(line.indexOf(' ') + 1)
      .trim()
      .toLowerCase() ??
    staticPayloads[payload] ??
    ''
  );
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
  const description = parse(body);
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
 * Why a medium is not encrypted as demanded, null if all are. A signalling-only element can neither encrypt nor
 * decrypt, so an offer of another kind is refused: half secure media would be silence.
 */
export function encryptionRefusal(body: Buffer, mode: MediaEncryption): string | null {
  const description = parse(body);
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

/** Why media would go to an address that is not on the list, null if none would. */
export function addressRefusal(body: Buffer, isListed: (address: string) => boolean): string | null {
  const other = mediaAddresses(body).find((address) => !isListed(address));
  return other === undefined ? null : `Media address ${other} is not allowed`;
}

/** The addresses to which media are to be sent. */
function mediaAddresses(body: Buffer): string[] {
  const description = parse(body);
  const addressIn = (lines: readonly string[]) =>
    lines.map((line) => /^c=IN IP[46] ([^/\s]+)/.exec(line)?.[1]).find((address) => address !== undefined);
  const common = addressIn(description.session);
  return description.media
    .filter(({ port }) => port !== '0')
    .map(({ lines }) => addressIn(lines) ?? common)
    .filter((address) => address !== undefined);
}

const directions: ReadonlySet<string> = new Set(['a=sendrecv', 'a=sendonly', 'a=recvonly', 'a=inactive']);

/** The same media, with both directions open again. */
export function withoutHold(body: Buffer): Buffer {
  const isOther = (line: string) => !directions.has(line.trim());
  const { session, media } = parse(body);
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
      parse(body).media.map(({ kind, port, protocol, formats }) => [kind, port, protocol, formats]),
    ]);
  return essence(one) === essence(other);
}

/** The session description of a message, also as a part of a multipart body; null if it has none. */
export function sdpOf(message: SipMessage): Buffer | null {
  if (message.body.length === 0) return null;
  return bodyPart(message, 'application/sdp')?.body ?? null;
}

export const sdpContent = (body: Buffer): Content => ({ type: 'application/sdp', body });
