/**
 * What a call of our own through one carrier needs: where it is sent, what it says about itself, and an end for its
 * audio.
 */
import { isIP } from 'node:net';
import type { Environment } from '../../engines/environment.ts';
import { AudioLeg } from '../../engines/phone/audio-leg.ts';
import { localAddressTowards } from '../../engines/phone/phone.ts';
import { formatHostPort, hostOfAddress } from '../../engines/sip/message/uri.ts';
import type { Target } from '../../engines/sip/transport/wire.ts';
import { dialPolicy } from '../b2bua/dial-policy.ts';
import type { SipEndpoint } from '../b2bua/endpoint.ts';
import { carrierUser, phoneUri } from '../b2bua/own-uris.ts';
import { signOwnCall } from '../b2bua/signed-calls.ts';
import type { CarrierTarget } from '../voice/carriers/find-routes.ts';
import type { SpokenCallOptions } from './spoken-call.ts';

export interface DialledNumber {
  /** Digits; carriers get them in the form of customers' calls. */
  destination: string;
  /** Digits of the number that is shown; null to withhold it. */
  caller: string | null;
}

/** At least one target in the order in which they are tried, or why there is none. */
export async function targetsOf(
  endpoint: SipEndpoint,
  route: CarrierTarget,
): Promise<readonly [Target, ...Target[]] | string> {
  const found = await endpoint.targets.find(uriOf(route, null), { owner: 'operator', tls: route.tls });
  const { carrier, host } = route;
  if (found === 'forbidden')
    return `the sandbox calls loopback and private addresses only, and ${host} of ${carrier.name} is none`;
  const [first, ...others] = typeof found === 'string' ? [] : found;
  return first === undefined ? `${host} of ${carrier.name} has no address` : [first, ...others];
}

/** How the number is dialled through the carrier at these targets. */
export async function dialling(
  endpoint: SipEndpoint,
  route: CarrierTarget,
  { destination, caller }: DialledNumber,
  targets: readonly [Target, ...Target[]],
): Promise<SpokenCallOptions['dial']> {
  const [{ transport, address }] = targets;
  const local = endpoint.agent.transport.localFor(transport, address);
  const { credentials, switches } = route;
  const called = carrierUser(destination);
  return {
    targets,
    uri: phoneUri(uriOf(route, called), switches),
    reliable: switches.reliable,
    // RFC 3323: a withheld number must not stand in From either.
    from:
      caller === null
        ? '"Anonymous" <sip:anonymous@anonymous.invalid>'
        : `<${phoneUri(`sip:${carrierUser(caller)}@${local?.host ?? 'invalid.invalid'}`, switches)}>`,
    to: `<${phoneUri(`sip:${called}@${hostOfAddress(route.host)}`, switches)}>`,
    headers:
      caller === null ? [['Privacy', 'id'] as const] : await signOwnCall(endpoint, route, { caller, destination }),
    account: credentials && { username: credentials.username, password: credentials.password.reveal() },
  };
}

function uriOf({ host, port, transport }: CarrierTarget, user: string | null): string {
  const at = formatHostPort({ host: hostOfAddress(host), port });
  return `sip:${user === null ? '' : `${user}@`}${at}${transport === 'udp' ? '' : `;transport=${transport}`}`;
}

/** Nobody has to reach this port: the call only speaks. In the sandbox audio goes where calls may go. */
export async function openLeg(env: Environment, endpoint: SipEndpoint, [target]: readonly [Target, ...Target[]]) {
  const host = await localAddressTowards(target);
  const local = endpoint.agent.transport.localFor(target.transport, target.address)?.host ?? host;
  const policy = dialPolicy(env.name, { allows: () => true });
  return AudioLeg.open({
    host,
    ...(isIP(local) !== 0 && { advertised: local }),
    mayReach: (address) => policy.allows(address, 'operator'),
  });
}
