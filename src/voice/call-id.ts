/** Identifiers of calls and legs. */
import { randomBytes } from 'node:crypto';

/** The id that all events of a call carry: the shape of the reference service, `10-10282FC6-5F632C460006A397-AC8C7700`. */
export function newCallId(): string {
  const hex = randomBytes(16).toString('hex').toUpperCase();
  return `10-${hex.slice(0, 8)}-${hex.slice(8, 24)}-${hex.slice(24)}`;
}

/** SIP Call-ID of one leg; every attempt has its own. */
export function newLegId(): string {
  return `${randomBytes(16).toString('hex')}@trunkline`;
}
