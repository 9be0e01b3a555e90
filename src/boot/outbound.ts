/** What outgoing HTTP of an environment may reach. */
import { isReachableByStrangers } from '../config/reach.ts';
import type { Config } from '../config/types.ts';
import type { EnvironmentName } from '../environment.ts';
import { type AddressPolicy, addressPolicy } from '../outbound/address-policy.ts';
import { type OutboundHttp, outboundHttp } from '../outbound/outbound-http.ts';

export function openOutbound(name: EnvironmentName, config: Config): OutboundHttp {
  return outboundHttp(outboundPolicy(name, config));
}

/**
 * A sandbox that only this machine can reach may call back to this machine and its network: that is what it is for. One
 * that strangers can reach would be their way into that network, so the operator has to allow private addresses.
 */
export function outboundPolicy(
  name: EnvironmentName,
  config: Pick<Config, 'host' | 'trustedProxies' | 'environments' | 'outboundAllow'>,
): AddressPolicy {
  const allowEverything = name === 'sandbox' && !isReachableByStrangers(config, name);
  return addressPolicy({ allowEverything, allowedRanges: config.outboundAllow });
}
