/** The DNS queries that RFC 3263 needs, to be replaced in tests. */
import { Resolver as DnsResolver, lookup } from 'node:dns/promises';

export interface NaptrRecord {
  order: number;
  preference: number;
  flags: string;
  service: string;
  replacement: string;
}

export interface SrvRecord {
  priority: number;
  weight: number;
  port: number;
  name: string;
}

/** Each returns an empty list when there is no such record or no answer. */
export interface Resolver {
  naptr(name: string): Promise<readonly NaptrRecord[]>;
  srv(name: string): Promise<readonly SrvRecord[]>;
  addresses(name: string, family: 4 | 6): Promise<readonly string[]>;
}

/**
 * The machine's name servers; a server that does not answer costs a second. Names that only the machine itself knows
 * (`localhost`, its hosts file) are found as well.
 */
export function machineResolver(): Resolver {
  const dns = new DnsResolver({ timeout: 1_000, tries: 2 });
  const ownNames = async (name: string, family: 4 | 6) =>
    (await lookup(name, { family, all: true }).catch(() => [])).map(({ address }) => address);
  return {
    naptr: (name) => dns.resolveNaptr(name).catch(() => []),
    srv: (name) => dns.resolveSrv(name).catch(() => []),
    addresses: (name, family) =>
      (family === 6 ? dns.resolve6(name) : dns.resolve4(name)).catch(() => ownNames(name, family)),
  };
}
