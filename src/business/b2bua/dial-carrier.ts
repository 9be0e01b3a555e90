/** How an attempt through a carrier is dialled. */
import { quote } from '../../engines/sip/message/text.ts';
import { hostOfAddress } from '../../engines/sip/message/uri.ts';
import type { CarrierTarget } from '../voice/carriers/find-routes.ts';
import type { DialPlan } from './dial-plan.ts';
import type { SipEndpoint } from './endpoint.ts';
import type { HeaderLine } from './headers.ts';
import { calledCarrierMedia } from './leg-media.ts';
import { carrierUser, ownHost, phoneUri } from './own-uris.ts';

interface CarrierCall {
  endpoint: SipEndpoint;
  route: CarrierTarget;
  /** Digits of the called number, without a prefix of the customer's. */
  destination: string;
  /** Digits of the caller id, or `anonymous`. */
  callerId: string;
  name: string | null;
  isPrivate: boolean;
  headers?: readonly HeaderLine[];
  identity: NonNullable<DialPlan['identity']>;
}

/** At least 4 s: less fails under packet loss. */
const noResponseMs = 4_000;
/** A carrier that rings longer than this has no answer to give. */
const ringingMs = 120_000;

export function carrierPlan(call: CarrierCall): DialPlan {
  const { endpoint, route, destination, callerId } = call;
  const host = hostOfAddress(route.host);
  const port = route.port === null ? '' : `:${route.port}`;
  const transport = route.transport.toLowerCase();
  const parameter = transport === 'udp' ? '' : `;transport=${transport}`;
  const number = carrierUser(destination);
  const own = ownHost(endpoint);
  const { switches } = route;
  const caller = `<${phoneUri(`sip:${carrierUser(callerId)}@${own}`, switches)}>`;
  const name = call.name === null ? '' : `${quote(call.name)} `;
  const { credentials } = route;
  return {
    uri: phoneUri(`sip:${number}@${host}${port}${parameter}`, switches),
    from: call.isPrivate ? '"Anonymous" <sip:anonymous@anonymous.invalid>' : `${name}${caller}`,
    to: `<${phoneUri(`sip:${number}@${host}`, switches)}>`,
    // Carriers are trusted: they get the number of a caller who is not to be shown, with the wish for privacy.
    headers: [
      ['P-Asserted-Identity', caller],
      ...(call.isPrivate ? [['Privacy', 'id'] as const] : []),
      ...(call.headers ?? []),
    ],
    identity: call.identity,
    findTargets: () =>
      endpoint.targets.find(`sip:${host}${port};transport=${transport}`, { owner: 'operator', tls: route.tls }),
    account: credentials && { username: credentials.username, password: credentials.password.reveal() },
    noResponseMs: () => noResponseMs,
    ringingMs,
    reliable: switches.reliable,
    expires: null,
    media: calledCarrierMedia,
    toPeer: (sdp) => sdp,
    refusalFromPeer: () => null,
    resolveUri: false,
    mostRedirects: 0,
    mostTransfers: 0,
    triesNext: route.isRerouted,
  };
}
