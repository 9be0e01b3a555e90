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
  const user = String(configuration.username ?? '{DID}')
    .replaceAll('{DID}', didNumber)
    .replaceAll('{CALL_CPC}', ORDINARY_CALLER);
  const host = String(configuration.host).includes(':') ? `[${configuration.host}]` : String(configuration.host);
  return `sip:${user}@${host}${configuration.port === null ? '' : `:${configuration.port}`}`;
}
