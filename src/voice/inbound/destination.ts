/** Builds the URI to which an attempt is sent. */
import type { RouteTrunk } from './route.ts';

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
