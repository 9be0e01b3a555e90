/** What outgoing HTTP of an environment may reach. */
import { BlockList, isIP } from 'node:net';
import type { Config } from '../config.ts';
import type { EnvironmentName } from '../environment.ts';
import { addressPolicy } from '../outbound/address-policy.ts';
import { type OutboundHttp, outboundHttp } from '../outbound/outbound-http.ts';

/** A sandbox that only this machine can reach may call back to this machine and its network: that is what it is for. */
export function openOutbound(name: EnvironmentName, { host, outboundAllow }: Config): OutboundHttp {
  const allowEverything = name === 'sandbox' && isLoopback(host);
  return outboundHttp(addressPolicy({ allowEverything, allowedRanges: outboundAllow }));
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
