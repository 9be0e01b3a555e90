/** The URI an attempt is sent to. */
import type { RouteTrunk } from './route.ts';

/** The calling party's category where the network names none (Q.763). */
const ORDINARY_CALLER = 'ordinary';

/**
 * `{DID}` in the user part stands for the called number, `{CALL_CPC}` for the category of the caller; without a user
 * part the number itself is it.
 */
export function destinationOf(trunk: Pick<RouteTrunk, 'type' | 'configuration'>, didNumber: string): string {
  const { configuration } = trunk;
  if (trunk.type === 'pstn_configurations') return `tel:+${String(configuration.dst)}`;
  if (configuration.enabled_sip_registration === true) {
    const user = configuration.use_did_in_ruri === true ? didNumber : String(configuration.incoming_auth_username);
    return `sip:${user}@registered`;
  }
  const scheme = SCHEMES[trunk.type];
  // The older protocols name the user part `dst`, and the number in it `{CALL_DID}`.
  const user = String(configuration.username ?? configuration.dst ?? '{DID}')
    .replaceAll(/\{(CALL_)?DID\}/g, didNumber)
    .replaceAll('{CALL_CPC}', ORDINARY_CALLER);
  const host = String(configuration.host).includes(':') ? `[${configuration.host}]` : String(configuration.host);
  return `${scheme}:${user}@${host}${configuration.port === null ? '' : `:${configuration.port}`}`;
}

const SCHEMES = {
  sip_configurations: 'sip',
  pstn_configurations: 'tel',
  iax2_configurations: 'iax',
  h323_configurations: 'h323',
} as const satisfies Record<RouteTrunk['type'], string>;

/** Whether calls can be sent to a destination at all: IAX2 and H.323 are only kept for clients of an older version. */
export const isRoutable = (destination: string): boolean => /^(sip|tel):/.test(destination);
