/** Parts of the URIs that this element writes: numbers as carriers and trunks get them, and its own host. */
import { encodeUser } from '../../engines/sip/message/uri.ts';
import type { SipSwitches } from '../voice/sip-switches.ts';
import type { SipEndpoint } from './endpoint.ts';

/** Marks a number as one, for peers that take it for a number only then (RFC 3261 19.1.1). */
export function phoneUri(uri: string, { userPhone }: Pick<SipSwitches, 'userPhone'>): string {
  const isNumber = /^sips?:\+?\d+@/i.test(uri) && !/;user=/i.test(uri);
  return userPhone && isNumber ? uri.replace(/\?|$/, ';user=phone$&') : uri;
}

/**
 * The user part of a number that is sent to a carrier: international numbers begin with `+`. Emergency and other short
 * numbers do not, and neither does a word such as `anonymous`.
 */
export const carrierUser = (number: string): string => (/^\d{7,}$/.test(number) ? `+${number}` : encodeUser(number));

/** How this element names itself, for the domain of From. */
export function ownHost(endpoint: SipEndpoint): string {
  const { transport } = endpoint.agent;
  return (transport.localFor('UDP', '127.0.0.1') ?? transport.localFor('UDP', '::1'))?.host ?? 'localhost';
}
