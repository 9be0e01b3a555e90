/**
 * Who can reach an environment's port, and what follows from that: who may move the sandbox's clock, and how much seeds
 * may make.
 */
import { BlockList, isIP } from 'node:net';
import { FieldError } from '../../base/fields.ts';
import type { EnvironmentName, SeedLimits } from '../../engines/environment.ts';
import type { ClockMovers } from '../../interfaces/sandbox/clock-movers.ts';
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

export function parseClockMovers(text: string): ClockMovers {
  if (text === 'any' || text === 'operator') return text;
  const accounts = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (accounts.length === 0) throw new FieldError('must be "any", "operator" or a list of accounts');
  return { accounts };
}

/**
 * By default, any account may move the clock on a machine of your own, and only the operator where strangers can reach
 * it.
 */
export function clockMovers(config: Config): ClockMovers {
  return config.sandboxClock ?? (isReachableByStrangers(config, 'sandbox') ? 'operator' : 'any');
}

/** By default a test suite on a machine of your own may seed as much as it wants. */
export function seedLimits(config: Config): SeedLimits {
  const usual = isReachableByStrangers(config, 'sandbox')
    ? { records: 10_000, accounts: 50 }
    : { records: 0, accounts: 0 };
  const { records, accounts } = config.sandboxSeeds;
  return { records: records ?? usual.records, accounts: accounts ?? usual.accounts };
}
