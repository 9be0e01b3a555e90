/** How an attempt at a SIP trunk is dialled: every setting of its configuration that concerns signalling. */

import type { MediaEngine } from '../../engines/media/media-engine.ts';
import { quote } from '../../engines/sip/message/text.ts';
import { encodeUser, hostOfAddress } from '../../engines/sip/message/uri.ts';
import type { Target } from '../../engines/sip/transport/wire.ts';
import type { DialPlan } from './dial-plan.ts';
import type { SipEndpoint } from './endpoint.ts';
import { keyPressFormat, receivedKeyPresses } from './key-presses.ts';
import { trunkMedia } from './leg-media.ts';
import { mayDescribe } from './media-sources.ts';
import { ownHost, phoneUri } from './own-uris.ts';
import { addressRefusal, codecsOf, encryptionRefusal, filterCodecs } from './sdp.ts';
import type { NoTarget } from './targets.ts';
import type { SipConfiguration, TrunkAttempt } from './trunk-attempt.ts';
import { diversionHeaders, identityHeaders } from './trunk-headers.ts';

const transports: Readonly<Record<number, Target['transport']>> = { 1: 'UDP', 2: 'TCP', 3: 'TLS' };

const families: Readonly<Record<string, readonly (4 | 6)[]>> = {
  force_ipv4: [4],
  force_ipv6: [6],
  any: [4, 6],
  prefer_ipv4: [4, 6],
  prefer_ipv6: [6, 4],
};

/** Default of timer B, as the contract has it. */
const usualTimerB = 8_000;

/** Where a trunk with a host is called. */
export function hostPlan(trunk: TrunkAttempt): DialPlan {
  const { endpoint, attempt, configuration } = trunk;
  const transport = transportOf(configuration);
  const [, user = '', hostPort = ''] = /^sip:([^@]*)@(.*)$/.exec(attempt.destination) ?? [];
  const uri = `sip:${encodeUser(user)}@${hostPort}${parameterOf(transport)}`;
  return trunkPlan(trunk, uri, () => hostTargets(endpoint, configuration, hostPort));
}

/** The transport of the trunk is fixed, also UDP: DNS must not choose another. */
export function hostTargets(
  endpoint: SipEndpoint,
  configuration: SipConfiguration,
  hostPort: string,
): Promise<readonly Target[] | NoTarget> {
  const located = `sip:${hostPort};transport=${transportOf(configuration).toLowerCase()}`;
  const wanted = families[configuration.network_protocol_priority ?? 'any'] ?? [4, 6];
  return endpoint.targets.find(located, { owner: 'customer', families: wanted });
}

const transportOf = (configuration: SipConfiguration): Target['transport'] =>
  transports[configuration.transport_protocol_id ?? 1] ?? 'UDP';

const parameterOf = (transport: Target['transport']): string =>
  transport === 'UDP' ? '' : `;transport=${transport.toLowerCase()}`;

/** What plans of trunks have in common, with a host or a registration. */
export function trunkPlan(
  trunk: TrunkAttempt,
  dialledUri: string,
  findTargets: () => Promise<readonly Target[] | NoTarget>,
): DialPlan {
  const { configuration, attempt, call, switches } = trunk;
  const uri = phoneUri(dialledUri, switches);
  const { sst_enabled, sst_session_expires, sst_max_timer, auth_enabled, auth_user, auth_password } = configuration;
  const timerB = configuration.sip_timer_b ?? usualTimerB;
  const failover = configuration.dns_srv_failover_timer ?? timerB;
  const mode = configuration.media_encryption_mode ?? 'disabled';
  // A media engine has the keys of each side; those of ZRTP the two ends agree on themselves.
  const isConverted = trunk.endpoint.media !== null && mode !== 'zrtp';
  const rule = {
    codecIds: configuration.codec_ids ?? null,
    telephoneEvents: (configuration.tx_dtmf_format_id ?? 1) === 1,
  };
  const transcoded = mode === 'zrtp' ? [] : transcodedTo(rule.codecIds, trunk.endpoint.media);
  // The engine converts what the caller sends into what the trunk accepts.
  const unfiltered = transcoded.length > 0 ? { ...rule, codecIds: null } : rule;
  const mayDescribeOwn = mayDescribe(configuration.allowed_rtp_ips, trunk.endpoint.media);
  return {
    uri,
    from: fromHeader(trunk),
    to: `<${uri.replace(/;transport=\w+/, '')}>`,
    headers: [...identityHeaders(trunk), ...diversionHeaders(trunk, call.didNumber)],
    findTargets,
    account: auth_enabled && auth_user && auth_password ? { username: auth_user, password: auth_password } : null,
    noResponseMs: (targets) => (targets > 1 ? failover : timerB),
    ringingMs: attempt.ringingTimeoutSeconds * 1000,
    reliable: switches.reliable,
    expires: sst_enabled ? (sst_session_expires ?? sst_max_timer ?? null) : null,
    media: trunkMedia(configuration, transcoded),
    toPeer: (sdp) =>
      (isConverted ? null : encryptionRefusal(sdp, mode)) ??
      filterCodecs(sdp, rule) ??
      filterCodecs(sdp, unfiltered) ??
      'No codec in common',
    keyPresses: keyPressFormat(configuration.tx_dtmf_format_id),
    receivedKeyPresses: receivedKeyPresses(configuration.rx_dtmf_format_id),
    refusalFromPeer: (sdp) => encryptionRefusal(sdp, mode) ?? addressRefusal(sdp, mayDescribeOwn),
    resolveUri: configuration.resolve_ruri ?? false,
    mostRedirects: configuration.max_30x_redirects ?? 0,
    mostTransfers: configuration.max_transfers ?? 0,
    triesNext: () => false,
  };
}

const transcodedTo = (codecIds: readonly number[] | null, media: MediaEngine | null): readonly string[] =>
  codecsOf(codecIds ?? []).filter((name) => media?.transcoding?.codecs.includes(name));

/** RFC 3323: a caller who is not to be shown has no number in From either. */
function fromHeader({ endpoint, caller, attempt, configuration, call, switches }: TrunkAttempt): string {
  const own = configuration.auth_from_user;
  const domain = configuration.auth_from_domain ?? ownHost(endpoint);
  if (caller.isPrivate && !own) return '"Anonymous" <sip:anonymous@anonymous.invalid>';
  const shown = attempt.callerName ?? call.srcName;
  const name = shown === null ? '' : `${quote(shown)} `;
  const uri = phoneUri(`sip:${encodeUser(own || attempt.callerId)}@${hostOfAddress(domain)}`, switches);
  return `${name}<${uri}>`;
}
