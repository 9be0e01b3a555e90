/** What a party is told of our end of one medium: its port, protocol and protection. */
import type { Endpoint } from '../endpoint.ts';
import { protocolOf } from '../srtp/encryption-offered.ts';
import type { MediaStream } from './media-stream.ts';
import { isRtpProtocol, type PartyDescription, type Section } from './read-description.ts';
import type { OwnSection } from './told-description.ts';

interface Told {
  /** The party that is told is a browser. */
  isBrowser: boolean;
  /** What the party has described last; null if it has said nothing yet. */
  description: PartyDescription | null;
  /** Of our end, as the party reaches us. */
  address: string;
  /** Null for a medium that is refused. */
  stream: MediaStream | null;
}

/** For our offer. `isFromBrowser`: what we pass on is a browser's. */
export function offeredSection(section: Section, at: number, isFromBrowser: boolean, told: Told): OwnSection {
  const { media, isActive } = section;
  const { stream } = told;
  if (!isActive || stream === null) return refusedSection(section);
  if (!isRtpProtocol(media.protocol)) return { ...refusedSection(section), port: stream.port };
  const { encryption, medium, session } = stream.protection.described.offer(endpoints(told, stream));
  const hasFeedback = told.isBrowser || (!isFromBrowser && media.protocol.endsWith('F'));
  return {
    ...refusedSection(section),
    port: stream.port,
    protocol: protocolOf(encryption, hasFeedback),
    // With DTLS another port would need a handshake of its own.
    muxes: (section.offersMux && !isFromBrowser) || told.isBrowser || encryption === 'srtp_dtls',
    lines: told.isBrowser ? [midOf(told.description?.sections[at]) ?? `a=mid:${at}`, ...medium] : medium,
    session,
  };
}

/** For our answer to what the party has offered. */
export function answeredSection(offered: Section, told: Told): OwnSection {
  const { media, lines, offersMux: muxes } = offered;
  const { stream } = told;
  if (stream === null) return refusedSection(offered);
  if (!isRtpProtocol(media.protocol)) return { ...refusedSection(offered), port: stream.port };
  const { described } = stream.protection;
  described.offeredBy(media.protocol, lines);
  const { medium, session } = described.answer(endpoints(told, stream));
  const mid = told.isBrowser ? midOf(offered) : undefined;
  const all = [...(mid === undefined ? [] : [mid]), ...medium];
  return { ...refusedSection(offered), port: stream.port, muxes, lines: all, session };
}

/**
 * A browser may want all its media on one path (BUNDLE), and each of them has one of its own here: the first is the
 * only one of its bundle. Browsers that insist on a bundle refuse descriptions without.
 */
export function bundledAlone(own: readonly OwnSection[], { isBrowser }: { isBrowser: boolean }): readonly string[] {
  const mid = own.find(({ port }) => port !== 0)?.lines.find(isMid);
  return isBrowser && mid !== undefined ? [`a=group:BUNDLE ${mid.slice('a=mid:'.length)}`] : [];
}

const isMid = (line: string): boolean => line.startsWith('a=mid:');
const midOf = (section: Section | undefined): string | undefined => section?.media.lines.find(isMid);

const refusedSection = ({ media: { kind, formats, protocol } }: Section): OwnSection => ({
  ...{ kind, formats, protocol, port: 0, muxes: false, lines: [], session: [] },
});

const endpoints = ({ address }: Told, { port }: MediaStream): Endpoint[] => [{ address, port }];
