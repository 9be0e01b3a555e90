/**
 * Several servers of which one takes writes. All of them are asked every second for as long as there are connections:
 * when another one takes writes, because the former primary has died, hangs or was demoted, the connections to the
 * former are cut, and whoever connects next reaches the new one.
 */
import pg from 'pg';
import { NoPrimary } from '../unavailable.ts';
import { Probe, type ServerState } from './probe.ts';
import { addressOf, nameOf, nameOfAll, type Server, serversIn } from './server-list.ts';

const beatMs = 1_000;
/** How long one question may take. */
const patienceMs = 1_500;
/** After this time without an answer the connections to the primary are cut, also if there is no other. */
const silentMs = 5_000;
/** For so long nobody looks again after a look that found no primary. */
const againMs = 200;

interface Seen {
  server: Server;
  state: ServerState | null;
  /** What is said of a server that cannot be used. */
  fault: string;
  /** It is there, but has no connection left for a question. */
  isFull: boolean;
}

export class Servers {
  readonly #probes: ReadonlyMap<Server, Probe>;
  readonly #clients = new Map<pg.Client, Server>();
  #current: Server | null = null;
  /** The newest primary there was. One with an older timeline is a former primary that does not know it yet. */
  #newest: Pick<ServerState, 'system' | 'timeline'> | null = null;
  #looking: Promise<Server | null> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #answeredAt = 0;
  #failedAt = -Infinity;
  #faults = '';

  constructor(url: string, servers: readonly Server[]) {
    this.#probes = new Map(servers.map((one) => [one, new Probe(addressOf(url, one), patienceMs)]));
  }

  /** The server that takes writes. */
  async find(): Promise<Server> {
    if (this.#timer !== null && this.#current !== null) return this.#current;
    const isKnown = performance.now() < this.#failedAt + againMs;
    const found = isKnown ? null : await this.#look();
    if (found === null) throw new NoPrimary(`none of its servers takes writes (${this.#faults})`);
    return found;
  }

  /** A connection that is being opened to a server; it is cut when another server is the primary. */
  join(client: pg.Client, server: Server): void {
    this.#clients.set(client, server);
    client.once('end', () => {
      this.#clients.delete(client);
      if (this.#clients.size === 0) this.#rest();
      // Perhaps not this connection alone has ended.
      else void this.#look();
    });
  }

  #look(): Promise<Server | null> {
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = null;
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#beat(), beatMs).unref();
    });
    return this.#looking;
  }

  #beat(): void {
    if (this.#clients.size === 0) this.#rest();
    else void this.#look();
  }

  /** Not while somebody waits for the answers. */
  #rest(): void {
    if (this.#looking !== null) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const probe of this.#probes.values()) probe.close();
  }

  async #lookAtAll(): Promise<Server | null> {
    const seen = await Promise.all([...this.#probes].map(([server, probe]) => lookAt(server, probe)));
    const primary = this.#primaryOf(seen);
    this.#faults = seen.map(({ server, fault }) => `${nameOf(server)}: ${fault}`).join('; ');
    if (primary === null) {
      this.#failedAt = performance.now();
      this.#judge(seen.find(({ server }) => server === this.#current));
    } else this.#moveTo(primary);
    return this.#current;
  }

  /** Of several that take writes the one that was promoted last. */
  #primaryOf(seen: Seen[]): Server | null {
    const writable: { server: Server; state: ServerState }[] = [];
    for (const one of seen) {
      if (one.state === null) continue;
      if (!one.state.writable) one.fault = 'read-only';
      else if (this.#isFormer(one.state)) one.fault = 'a former primary';
      else writable.push({ server: one.server, state: one.state });
    }
    if (new Set(writable.map(({ state }) => state.system)).size > 1) {
      for (const one of seen) one.fault ||= 'no copy of the others';
      return null;
    }
    const newest = Math.max(...writable.map(({ state }) => state.timeline));
    const newestOnes = writable.filter(({ state }) => state.timeline === newest);
    const chosen = newestOnes.find(({ server }) => server === this.#current) ?? newestOnes[0];
    if (chosen === undefined) return null;
    this.#newest = chosen.state;
    return chosen.server;
  }

  /** After an upgrade with pg_upgrade timelines begin anew, in a cluster with another identifier. */
  #isFormer({ system, timeline }: ServerState): boolean {
    return this.#newest !== null && this.#newest.system === system && timeline < this.#newest.timeline;
  }

  #moveTo(server: Server | null): void {
    this.#current = server;
    this.#answeredAt = performance.now();
    for (const [client, where] of this.#clients) if (where !== server) this.#cut(client);
  }

  /** What becomes of the primary when no server says that it is one. A busy one is given time. */
  #judge(primary: Seen | undefined): void {
    if (primary === undefined || primary.isFull) return;
    const isSilent = primary.state === null && performance.now() < this.#answeredAt + silentMs;
    if (!isSilent) this.#moveTo(null);
  }

  /** Not `end`, which would wait for the server. */
  #cut(client: pg.Client): void {
    client.connection.stream.destroy();
  }
}

async function lookAt(server: Server, probe: Probe): Promise<Seen> {
  try {
    return { server, state: await probe.ask(), fault: '', isFull: false };
  } catch (error) {
    const isFull = error instanceof pg.DatabaseError && error.code?.startsWith('53') === true;
    const text = error instanceof Error && error.message !== '' ? error.message : 'it cannot be reached';
    return { server, state: null, fault: text, isFull };
  }
}

/** By their names: the databases of worlds are on the servers of their sandbox. */
const known = new Map<string, Servers>();

/** Null for an address that does not ask for the server that takes writes. */
export function serversBehind(url: string): Servers | null {
  const servers = serversIn(url);
  if (servers.length === 0) return null;
  const name = nameOfAll(url);
  const found = known.get(name) ?? new Servers(url, servers);
  known.set(name, found);
  return found;
}
