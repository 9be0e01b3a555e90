/**
 * The description that a party gets of the other: with our address and ports, without what concerns only the other's
 * path to us (ICE, keys, bundling); everything else as it came.
 */
import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { formatDescription, type Media } from '../../sdp/description.ts';
import { isOfBrowser } from '../browser-lines.ts';
import type { PartyDescription, Section } from './read-description.ts';

/** Our end of one medium. */
export interface OwnSection {
  /** `audio`, `video` …, and its payload types, as they were offered. */
  kind: string;
  formats: readonly string[];
  /** 0 for a medium that is refused. */
  port: number;
  protocol: string;
  muxes: boolean;
  /** What it says of its encryption and path: `a=crypto`, `a=fingerprint`, `a=candidate` … */
  lines: readonly string[];
  /** The same for the session: `a=ice-lite`. */
  session: readonly string[];
}

/** Attributes of one path only, between one party and the relay. */
const pathAttributes = [
  ...['candidate', 'remote-candidates', 'end-of-candidates', 'ice-[a-z0-9]+', 'rtcp', 'rtcp-mux', 'rtcp-mux-only'],
  ...['crypto', 'key-mgmt', 'fingerprint', 'setup', 'tls-id', 'dtls-id', 'connection', 'group:BUNDLE', 'bundle-only'],
];
const ofOnePath = new RegExp(`^(?:[cko]=|v=|a=(?:${pathAttributes.join('|')})(?:[: ]|\\s*$))`);
/** Lines of a session that stand before its address (RFC 8866, 5). */
const beforeAddress = /^[siuep]=/;

/** Descriptions that one party gets are of one session, whose version rises with every change. */
export class ToldSession {
  readonly #id = randomInt(1, 2 ** 40);
  #version = 0;
  #last = '';

  describe(
    { lines, sections, isBrowser }: PartyDescription,
    address: string,
    own: readonly OwnSection[],
    ownSession: readonly string[],
  ): Buffer {
    const family = isIPv6(address) ? 'IP6' : 'IP4';
    const isKept = (line: string) => !ofOnePath.test(line) && !(isBrowser && isOfBrowser(line));
    const session = lines.session.filter(isKept);
    const head = session.filter((line) => beforeAddress.test(line));
    const tail = session.filter((line) => !beforeAddress.test(line));
    const title = head.some((line) => line.startsWith('s=')) ? [] : ['s=-'];
    const media = own.map((one, at) => toldMedia(sections[at], one, isKept, family));
    const ours = new Set([...ownSession, ...own.flatMap((one) => one.session)]);
    const rest = [...title, ...head, `c=IN ${family} ${address}`, ...tail, ...ours];
    const text = formatDescription({ session: rest, media }).toString('latin1');
    if (text !== this.#last) this.#version += 1;
    this.#last = text;
    const origin = `o=- ${this.#id} ${this.#version} IN ${family} ${address}`;
    return formatDescription({ session: ['v=0', origin, ...rest], media });
  }
}

function toldMedia(
  section: Section | undefined,
  own: OwnSection,
  isKept: (line: string) => boolean,
  family: 'IP4' | 'IP6',
): Media {
  const { kind, protocol, port } = own;
  if (section === undefined) return { kind, protocol, port: '0', formats: [...own.formats], lines: [] };
  const { media, isNowhere } = section;
  const kept = media.lines.filter(isKept);
  if (port === 0) return { ...media, protocol, port: '0', lines: kept };
  const namesRtcp = media.lines.some((line) => line.startsWith('a=rtcp:'));
  return {
    ...media,
    port: String(port),
    protocol,
    lines: [
      ...kept.filter((line) => line.startsWith('i=')),
      ...(isNowhere ? [`c=IN ${family} ${family === 'IP4' ? '0.0.0.0' : '::'}`] : []),
      ...kept.filter((line) => !line.startsWith('i=')),
      ...(namesRtcp && !own.muxes ? [`a=rtcp:${port + 1}`] : []),
      ...(own.muxes ? ['a=rtcp-mux'] : []),
      ...own.lines,
    ],
  };
}
