/** What a party has described, checked: nothing behind this has to ask whether a port is a number. */
import { isIP, isIPv6, SocketAddress } from 'node:net';
import {
  connectionAddress,
  type Description,
  directionOf,
  type Media,
  type MediaDirection,
  parseDescription,
} from '../../sdp/description.ts';
import type { Endpoint } from '../endpoint.ts';
import { MediaRefused } from '../media-engine.ts';

/** One medium of a party. */
export interface Section {
  /** The `m=` line and what follows it, as it came. */
  readonly media: Media;
  /** Its lines, and after them those of the session. */
  readonly lines: readonly string[];
  /** False if it is refused, or of a kind that a relay of UDP cannot carry. */
  readonly isActive: boolean;
  readonly rtp: Endpoint;
  readonly rtcp: Endpoint;
  readonly direction: MediaDirection;
  /** The address is 0.0.0.0: how old phones hold a call. */
  readonly isNowhere: boolean;
  readonly offersMux: boolean;
  /** It has a protocol of SRTP. */
  readonly isSecure: boolean;
  readonly hasZrtp: boolean;
}

export interface PartyDescription {
  readonly lines: Description;
  /** Of a browser: it does not say where media are to be sent, its checks of the path do. */
  readonly isBrowser: boolean;
  readonly sections: readonly Section[];
}

const mostBytes = 16 * 1024;
const mostSections = 8;
const nowhere: Readonly<Record<string, true>> = { '0.0.0.0': true, '::': true };
const rtpProtocol = /^(?:UDP\/TLS\/)?RTP\/S?AVPF?$/;
const multicast = /^(?:22[4-9]|23\d|255)\.|^ff/i;

/** Throws `MediaRefused`. */
export function readDescription(body: Buffer, { isBrowser }: { isBrowser: boolean }): PartyDescription {
  if (body.length > mostBytes) throw new MediaRefused(`The session description is longer than ${mostBytes} bytes.`);
  if (!/^v=0\r?\n/.test(body.toString('latin1', 0, 5))) throw new MediaRefused('The session description has no v=0.');
  const lines = parseDescription(body);
  const all = [lines.session, ...lines.media.map((media) => [media.kind, ...media.lines])].flat();
  if (all.some((line) => /[\r\0]/.test(line)))
    throw new MediaRefused('The session description has control characters.');
  if (lines.session.some((line) => line.startsWith('m='))) throw new MediaRefused('A line m= cannot be read.');
  if (lines.media.length === 0) throw new MediaRefused('The session description has no media.');
  if (lines.media.length > mostSections) throw new MediaRefused(`There are more than ${mostSections} media.`);
  return { lines, isBrowser, sections: lines.media.map((media) => readSection(lines, media, isBrowser)) };
}

export const isRtpProtocol = (protocol: string): boolean => rtpProtocol.test(protocol);
const isUdptl = (protocol: string): boolean => protocol.toLowerCase() === 'udptl';

function readSection({ session }: Description, media: Media, isBrowser: boolean): Section {
  if (media.lines.some((line) => line.startsWith('m='))) throw new MediaRefused('A line m= cannot be read.');
  const port = Number(/^(\d{1,5})(?:\/\d+)?$/.exec(media.port)?.[1] ?? Number.NaN);
  if (!(port <= 65_535)) throw new MediaRefused(`"${printable(media.port)}" is no port.`);
  const isRtp = isRtpProtocol(media.protocol);
  if (isRtp && !media.formats.every((format) => /^\d{1,3}$/.test(format) && Number(format) < 128))
    throw new MediaRefused('A payload type is no number below 128.');
  const isActive = port !== 0 && (isRtp || isUdptl(media.protocol));
  const address = isActive ? addressOf(connectionAddress(media.lines) ?? connectionAddress(session)) : '';
  const lines = [...media.lines, ...session];
  return {
    media,
    lines,
    isActive,
    rtp: { address, port },
    rtcp: rtcpOf(media, { address, port }),
    direction: directionOf(session, media),
    isNowhere: !isBrowser && nowhere[address] === true,
    offersMux: media.lines.some((line) => line.trim() === 'a=rtcp-mux'),
    isSecure: /\bSAVPF?$/.test(media.protocol),
    hasZrtp: lines.some((line) => line.startsWith('a=zrtp-hash:')),
  };
}

/** As the system writes it, since it is compared with where packets come from. */
function addressOf(written: string | undefined): string {
  const family = isIP(written ?? '');
  if (written === undefined || family === 0) throw new MediaRefused('The media name no IP address.');
  if (multicast.test(written)) throw new MediaRefused(`The media address ${written} is one of many.`);
  if (family === 4) return written;
  if (written.includes('%')) throw new MediaRefused('The media address is of one link only.');
  return new SocketAddress({ address: written, family: 'ipv6' }).address;
}

/** `a=rtcp:` names its port and perhaps its address (RFC 3605); otherwise it is the next one. */
function rtcpOf(media: Media, rtp: Endpoint): Endpoint {
  const usual = { address: rtp.address, port: Math.min(65_535, rtp.port + 1) };
  for (const line of media.lines) {
    const [, digits, address] = /^a=rtcp:(\d{1,5})(?: IN IP[46] (\S+))?\s*$/.exec(line) ?? [];
    if (digits === undefined || Number(digits) > 65_535 || Number(digits) === 0) continue;
    const isOfSameFamily = isIP(address ?? '') !== 0 && isIPv6(address ?? '') === isIPv6(rtp.address);
    return { address: isOfSameFamily ? addressOf(address) : rtp.address, port: Number(digits) };
  }
  return usual;
}

/** For a message: what a stranger has sent may be long or have any bytes. */
const printable = (text: string): string => text.slice(0, 20).replace(/[^ -~]/g, '?');
