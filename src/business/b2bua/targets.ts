/**
 * From the host of a trunk or carrier to the addresses that a call may be sent to (RFC 3263), in the order to try them.
 */

import { isIP } from 'node:net';
import QuickLRU from 'quick-lru';
import { parseSipUriOnly } from '../../engines/sip/message/uri.ts';
import { locate } from '../../engines/sip/resolve/locate.ts';
import type { Resolver } from '../../engines/sip/resolve/resolver.ts';
import { TargetHealth } from '../../engines/sip/resolve/target-health.ts';
import type { Timers } from '../../engines/sip/timers.ts';
import type { Target, TransportName, Wire } from '../../engines/sip/transport/wire.ts';
import type { DialPolicy } from './dial-policy.ts';

interface TargetFinderOptions {
  policy: DialPolicy;
  resolver: Resolver;
  random: () => number;
  timers: Timers;
  wires: readonly Wire[];
}

interface TargetWishes {
  owner: 'customer' | 'operator';
  /** The address families in the order of preference; default: IPv4 before IPv6. */
  families?: readonly (4 | 6)[];
  /** How the certificate of the peer is checked; default: it must be valid and for the host's name. */
  tls?: TlsWishes;
}

interface TlsWishes {
  /** Whether it is checked at all. */
  verify: boolean;
  /** The name that it must be for, if that is not the host's. */
  name: string | null;
}

/** Why there is no target: the name has no address, or only addresses that must not be called. */
export type NoTarget = 'unresolved' | 'forbidden';

/** Host names that were looked up are remembered for requests within dialogs. */
const mostNames = 10_000;

export class TargetFinder {
  readonly #options: TargetFinderOptions;
  readonly #health: TargetHealth;
  readonly #addresses = new QuickLRU<string, string>({ maxSize: mostNames });

  constructor(options: TargetFinderOptions) {
    this.#options = options;
    this.#health = new TargetHealth(options.timers);
  }

  /** `uri` may have a port and a `transport` parameter; without a transport DNS chooses. */
  async find(uri: string, { owner, families = [4, 6], tls }: TargetWishes): Promise<readonly Target[] | NoTarget> {
    const { resolver, random, policy } = this.#options;
    const parsed = parseSipUriOnly(uri);
    const options = { resolver, random, transports: this.#transports(), families: this.#families(families) };
    const found = await locate(parsed, options);
    const usable = found.filter(({ address }) => families.includes(isIP(address) === 6 ? 6 : 4));
    if (usable.length === 0) return 'unresolved';
    const allowed = usable.filter(({ address }) => policy.allows(address, owner));
    const [first] = allowed;
    if (first === undefined) return 'forbidden';
    this.#remember(parsed.host, first.address);
    return this.#health.order(tls ? allowed.map((target) => withTls(target, tls)) : allowed);
  }

  failed(target: Target): void {
    this.#health.failed(target);
  }

  answered(target: Target): void {
    this.#health.answered(target);
  }

  addressOf(host: string): string | null {
    return this.#addresses.get(host.toLowerCase()) ?? null;
  }

  #remember(host: string, address: string): void {
    if (isIP(address) === 0 || host === address) return;
    this.#addresses.set(host.toLowerCase(), address);
  }

  #transports(): TransportName[] {
    const open = new Set(this.#options.wires.map(({ transport }) => transport));
    return (['UDP', 'TCP', 'TLS'] as const).filter((transport) => open.has(transport));
  }

  #families(wanted: readonly (4 | 6)[]): (4 | 6)[] {
    const open = new Set(this.#options.wires.map(({ family }) => family));
    return wanted.filter((family) => open.has(family));
  }
}

function withTls(target: Target, { verify, name }: TlsWishes): Target {
  if (target.transport !== 'TLS') return target;
  return { ...target, ...(name !== null && { serverName: name }), ...(!verify && { unverified: true }) };
}
