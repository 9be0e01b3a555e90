/** Who can reach an environment's port. */
import { BlockList, isIP } from 'node:net';
import type { EnvironmentName } from '../environment.ts';
import type { Config } from './types.ts';

/**
 * Whether others than the programs of this machine can send requests: the port is bound to more than loopback, or a
 * proxy stands in front of it, which a public URL or trusted proxies show.
 */
export function isReachableByStrangers(
  { host, trustedProxies, environments }: Pick<Config, 'host' | 'trustedProxies' | 'environments'>,
  name: EnvironmentName,
): boolean {
  return !isLoopback(host) || trustedProxies.length > 0 || environments[name].publicUrl !== null;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  const family = isIP(host);
  return family === 0 ? host === 'localhost' : loopback.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
