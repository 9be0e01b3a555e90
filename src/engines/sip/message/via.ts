/** One Via value: the transport, who sent the message (`sent-by`), and branch, received and rport. */
import { formatParameters, type Parameters, parseParameters } from './parameters.ts';
import { badRequest } from './sip-error.ts';
import { isToken, skipSpace } from './text.ts';
import { formatHostPort, parseHostPort } from './uri.ts';

export interface Via {
  /** Upper case: UDP, TCP, TLS, or one this layer does not speak. */
  transport: string;
  host: string;
  port: number | null;
  parameters: Parameters;
}

/** Branches of RFC 3261 begin with this; without it the transaction is matched by the rules of RFC 2543. */
export const magicCookie = 'z9hG4bK';

export function parseVia(text: string): Via {
  const protocol = text.startsWith('SIP/2.0/') ? 8 : afterProtocol(text);
  let at = protocol;
  while (at < text.length && text.charCodeAt(at) > 32) at++;
  const transport = text.slice(protocol, at).toUpperCase();
  const hostStart = skipSpace(text, at);
  const semicolon = text.indexOf(';', hostStart);
  const hostEnd = semicolon < 0 ? text.length : semicolon;
  if (!isToken(transport)) throw badRequest('Malformed Via');
  const { host, port } = parseHostPort(text.slice(hostStart, hostEnd).trimEnd());
  return { transport, host, port, parameters: parseParameters(text, hostEnd) };
}

/**
 * Whitespace is allowed around the slashes of `SIP / 2.0 / UDP`. Of another version it must be readable to be answered
 * with 505.
 */
function afterProtocol(text: string): number {
  const match = /^\s*SIP\s*\/\s*\d+(?:\.\d+)?\s*\/\s*/i.exec(text);
  if (!match) throw badRequest('Malformed Via');
  return match[0].length;
}

export function formatVia(via: Via): string {
  return `SIP/2.0/${via.transport} ${formatHostPort(via)}${formatParameters(via.parameters)}`;
}

/** The branch, or the empty string. */
export function branchOf(via: Via): string {
  return via.parameters.get('branch') ?? '';
}
