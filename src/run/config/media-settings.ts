/** The settings of media: reading them, and what contradicts the ports of SIP. */
import { isIP } from 'node:net';
import { FieldError } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import type { MediaConfig, PortRange } from '../../business/b2bua/media-settings.ts';
import type { SipPorts } from '../../business/b2bua/sip-settings.ts';

/** Below the ports that Linux gives to programs that ask for any. */
const usualPorts: PortRange = { from: 20_000, to: 29_999 };
/** A call with sound has two parties, and each of them a pair. */
const portsOfCall = 4;

export function parseMedia(text: string): Pick<MediaConfig, 'engine' | 'hosts'> {
  if (text === 'embedded' || text === 'direct') return { engine: text, hosts: [] };
  const hosts = /^rtpengine:(.+)$/.exec(text)?.[1]?.split(',').map(hostOf) ?? [];
  const known = hosts.filter((host) => host !== null);
  if (known.length === 0 || known.length < hosts.length) {
    throw new FieldError(
      `must be embedded, direct, or rtpengine:HOST:PORT with further ones after commas, not "${text}"`,
    );
  }
  return { engine: 'rtpengine', hosts: known };
}

function hostOf(text: string): MediaConfig['hosts'][number] | null {
  const [, bracketed, plain, digits] = /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+)):(\d{1,5})$/.exec(text.trim()) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  const isRight = host !== undefined && (bracketed === undefined || isIP(bracketed) === 6) && port > 0 && port < 65_536;
  return isRight ? { host, port } : null;
}

/** `any` is whatever ports the system has free. */
export function parseMediaPorts(text: string): PortRange | 'any' {
  if (text === '0') return 'any';
  const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (!(from >= 1024 && to <= 65_535 && from < to)) {
    throw new FieldError(`must be ports from 1024 to 65535 such as 20000-29999, or 0 for any, not "${text}"`);
  }
  if (from % 2 !== 0 || to % 2 === 0) {
    throw new FieldError(
      `must begin with an even port and end with an odd one, as media take them in pairs, not "${text}"`,
    );
  }
  if (to - from + 1 < portsOfCall) {
    throw new FieldError(`must have at least ${portsOfCall} ports, which is one call, not "${text}"`);
  }
  return { from, to };
}

/** Unset, the ports follow those of SIP: any free ones where SIP has any free port. */
export function mediaPorts(
  chosen: PortRange | 'any' | null,
  sip: readonly (SipPorts | null)[],
): Pick<MediaConfig, 'ports' | 'arePortsChosen'> {
  if (chosen !== null) return { ports: chosen === 'any' ? null : chosen, arePortsChosen: true };
  const served = sip.filter((ports) => ports !== null);
  const isAny = served.length > 0 && served.every(({ port }) => port === 0);
  return { ports: isAny ? null : usualPorts, arePortsChosen: false };
}

export function refuseMediaContradictions(media: MediaConfig, sip: readonly (SipPorts | null)[]): void {
  const { engine, ports, mostTranscoded } = media;
  if (mostTranscoded > 0 && engine !== 'rtpengine') {
    throw new OperatorError(
      `TRUNKLINE_MEDIA_TRANSCODING ${mostTranscoded} needs rtpengine, and TRUNKLINE_MEDIA is ${engine}; only rtpengine transcodes.`,
    );
  }
  if (engine !== 'embedded' || ports === null) return;
  const taken = sip.find((one) => one !== null && one.port >= ports.from && one.port <= ports.to);
  if (taken) {
    throw new OperatorError(
      `The SIP port ${taken.port} lies within TRUNKLINE_MEDIA_PORTS ${ports.from}-${ports.to}; choose another range.`,
    );
  }
}
