/** Builds an attempt at one trunk: the URI it is sent to, and the caller id in the trunk's format. */

import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';
import QuickLRU from 'quick-lru';
import { justBegun, newLegId } from '../call.ts';
import type { InboundAttempt, InboundCall } from './call.ts';
import type { CallerIdRule, CliFormat, RouteTrunk } from './route.ts';

/** Ringing timeout of trunks that do not set one, in seconds. */
const platformRingingTimeout = 30;

export function attemptAt(
  trunk: RouteTrunk,
  call: Pick<InboundCall, 'didNumber' | 'srcNumber' | 'country'>,
  at: Date,
  callerName: string | null = null,
): InboundAttempt {
  const { configuration } = trunk;
  return {
    trunkId: trunk.id,
    trunkName: trunk.name,
    destination: destinationOf(trunk, call.didNumber),
    callerId: callerIdFor(call.srcNumber, trunk.callerId, call.country),
    callId: newLegId(),
    transportProtocolId: Number(configuration.transport_protocol_id ?? 0) || null,
    popId: trunk.popId,
    forwardingRate: trunk.forwardingRate,
    ...(trunk.nameLookupRate !== null && callerName !== null
      ? { callerName, nameLookupRate: trunk.nameLookupRate }
      : { nameLookupRate: null }),
    ringingTimeoutSeconds: trunk.ringingTimeout ?? platformRingingTimeout,
    reroutingIds: Array.isArray(configuration.rerouting_disconnect_code_ids)
      ? configuration.rerouting_disconnect_code_ids
      : null,
    startedAt: at,
    ...justBegun,
  };
}

/** The calling party's category if the network does not give one (Q.763). */
const ordinaryCaller = 'ordinary';

/**
 * Replaces `{DID}` in the user part with the called number and `{CALL_CPC}` with the caller's category; the default
 * user part is the called number.
 */
export function destinationOf(trunk: Pick<RouteTrunk, 'type' | 'configuration'>, didNumber: string): string {
  const { configuration } = trunk;
  if (trunk.type === 'pstn_configurations') return `tel:+${String(configuration.dst)}`;
  if (configuration.enabled_sip_registration === true) {
    const user = configuration.use_did_in_ruri === true ? didNumber : String(configuration.incoming_auth_username);
    return `sip:${user}@registered`;
  }
  const scheme = schemes[trunk.type];
  // The older protocols call the user part `dst`, and the called number `{CALL_DID}`.
  const user = String(configuration.username ?? configuration.dst ?? '{DID}')
    .replaceAll(/\{(CALL_)?DID\}/g, didNumber)
    .replaceAll('{CALL_CPC}', ordinaryCaller);
  const host = String(configuration.host).includes(':') ? `[${configuration.host}]` : String(configuration.host);
  return `${scheme}:${user}@${host}${configuration.port === null ? '' : `:${configuration.port}`}`;
}

const schemes = {
  sip_configurations: 'sip',
  pstn_configurations: 'tel',
  iax2_configurations: 'iax',
  h323_configurations: 'h323',
} as const satisfies Record<RouteTrunk['type'], string>;

/**
 * Whether calls can be sent to this destination. IAX2 and H.323 trunks are only stored, for clients of an older
 * version.
 */
export const isRoutable = (destination: string): boolean => /^(sip|tel):/.test(destination);

/**
 * `country` is the country of the called number (ISO 3166-1). A caller that is not a telephone number (anonymous, a SIP
 * user) is not changed; a caller from another country has no national format and is shown in E.164.
 */
export function callerIdFor(srcNumber: string, rule: CallerIdRule, country: string | null): string {
  return `${rule.prefix ?? ''}${formatted(srcNumber, rule.format, country)}`;
}

/** Reading a number takes longer than everything else about an attempt, and most callers call again. */
const known = new QuickLRU<string, string>({ maxSize: 10_000 });

function formatted(srcNumber: string, format: CliFormat, country: string | null): string {
  if (format === 'raw') return srcNumber;
  const key = `${format} ${country} ${srcNumber}`;
  const found = known.get(key) ?? read(srcNumber, format, country);
  known.set(key, found);
  return found;
}

function read(srcNumber: string, format: 'e164' | 'local', country: string | null): string {
  const home = country !== null && isSupportedCountry(country) ? country : null;
  const parsed = readNumber(srcNumber, home);
  if (parsed === null) return srcNumber;
  const isLocal = format === 'local' && parsed.country !== undefined && parsed.country === home;
  return isLocal ? parsed.formatNational().replace(/\D/g, '') : parsed.number.slice(1);
}

/** Reads the text as E.164, with or without `+`; if that fails, as a national number of `home`. */
function readNumber(text: string, home: CountryCode | null) {
  const digits = text.replace(/[\s().-]/g, '');
  if (!/^\+?\d{3,20}$/.test(digits)) return null;
  const international = parsePhoneNumberFromString(digits.startsWith('+') ? digits : `+${digits}`);
  if (international?.isValid()) return international;
  const national = home === null ? undefined : parsePhoneNumberFromString(digits, home);
  return national?.isValid() ? national : null;
}
