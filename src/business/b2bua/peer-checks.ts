/**
 * Asks carriers and trunks with OPTIONS whether they are there, and notes which of them ask us. What is found is stored
 * for all processes: routing tries a carrier that is down last, and customers and operators see the state.
 */
import { isUnavailable } from '../../engines/db/unavailable.ts';
import { askOptions } from '../../engines/sip/ask-options.ts';
import { hostOfAddress } from '../../engines/sip/message/uri.ts';
import type { Target } from '../../engines/sip/transport/wire.ts';
import { claimDuePeers, type DuePeer, type PeerCheck, storeHeardPeers, storePeerCheck } from '../voice/sip-peers.ts';
import { hostTargets } from './dial-trunk.ts';
import type { SipEndpoint } from './endpoint.ts';
import { ownHost } from './own-uris.ts';
import type { Registrations } from './registrations.ts';
import type { NoTarget } from './targets.ts';
import type { SipConfiguration } from './trunk-attempt.ts';

const lookMs = 1_000;
/** Four transmissions over UDP. */
const waitMs = 5_000;
/** Peers that are asked at the same time. */
const mostAtOnce = 200;
/** Of a name with many addresses so many are asked. */
const mostTargets = 4;
/** Addresses whose OPTIONS are remembered until they are written. */
const mostHeard = 1_000;

/**
 * Responses of an element that is there but cannot take calls. Any other response, also 404 or 405, shows a working
 * peer.
 */
const meansDown: ReadonlySet<number> = new Set([408, 502, 503, 504]);

const noTarget: Readonly<Record<NoTarget, string>> = {
  unresolved: 'the host has no address',
  forbidden: 'calls to this address are not allowed',
};

/** How one peer is asked: at one of its targets, by this URI. */
interface Way {
  uri: string;
  target: Target;
  routes?: readonly string[];
}

export class PeerChecks {
  readonly #endpoint: SipEndpoint;
  readonly #registrations: Registrations;
  readonly #everySeconds: number;
  readonly #heard = new Set<string>();
  readonly #stopping = new AbortController();
  #asked = 0;
  #timer: NodeJS.Timeout | null = null;
  #looking: Promise<void> = Promise.resolve();

  constructor(endpoint: SipEndpoint, registrations: Registrations, everySeconds: number) {
    this.#endpoint = endpoint;
    this.#registrations = registrations;
    this.#everySeconds = everySeconds;
  }

  start(): void {
    let isLooking = false;
    this.#timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      this.#looking = this.look().then(() => {
        isLooking = false;
      });
    }, lookMs).unref();
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#stopping.abort();
    await this.#looking;
  }

  /** OPTIONS came from there. */
  heard(address: string): void {
    if (this.#heard.size < mostHeard) this.#heard.add(address);
  }

  /** Starts the checks that are due, and returns them. Never rejects. */
  async look(): Promise<Promise<void>[]> {
    const { env } = this.#endpoint;
    if (env.pool.ending) return [];
    try {
      const heard = [...this.#heard];
      this.#heard.clear();
      if (heard.length > 0) await storeHeardPeers(env, heard);
      const room = mostAtOnce - this.#asked;
      const due = room > 0 ? await claimDuePeers(env, this.#everySeconds, room) : [];
      return due.map((peer) => this.#check(peer));
    } catch (error) {
      if (!isUnavailable(error)) env.log.warn({ err: error }, 'SIP peers could not be checked');
      return [];
    }
  }

  async #check(peer: DuePeer): Promise<void> {
    const { env } = this.#endpoint;
    this.#asked += 1;
    try {
      const check = await this.#ask(peer);
      if (env.pool.ending || this.#stopping.signal.aborted) return;
      const changed = await storePeerCheck(env, peer.id, check);
      if (changed && peer.carrier)
        env.log.warn({ carrier: peer.carrier.name, up: check.isUp, response: check.response }, 'a carrier changed');
    } catch (error) {
      if (!isUnavailable(error)) env.log.warn({ err: error }, 'a SIP peer could not be checked');
    } finally {
      this.#asked -= 1;
    }
  }

  /** A peer is up if one of its targets is. Each target is remembered on its own for the calls of this process. */
  async #ask(peer: DuePeer): Promise<PeerCheck> {
    const ways = await this.#waysTo(peer);
    if (typeof ways === 'string') return { isUp: false, response: ways, roundTripMs: null, address: null };
    const checks = await Promise.all(ways.slice(0, mostTargets).map((way) => this.#askAt(way)));
    const [first] = checks;
    if (first === undefined) throw new Error('a peer without targets has a reason');
    return checks.find(({ isUp }) => isUp) ?? first;
  }

  async #askAt({ uri, target, routes = [] }: Way): Promise<PeerCheck> {
    const { agent, targets, timers } = this.#endpoint;
    const began = timers.now();
    const from = `<sip:${ownHost(this.#endpoint)}>`;
    const { signal } = this.#stopping;
    const response = await askOptions(agent, { uri, from, target, routes, waitMs, signal });
    const isAnswered = typeof response !== 'string';
    const isUp = isAnswered && !meansDown.has(response.status);
    if (isUp) targets.answered(target);
    else if (!signal.aborted) targets.failed(target);
    return {
      isUp,
      response: isAnswered ? `${response.status} ${response.reason}`.trim() : response,
      roundTripMs: isAnswered ? Math.round(timers.now() - began) : null,
      address: target.address,
    };
  }

  async #waysTo({ carrier, trunk, verifyCertificate, certificateName }: DuePeer): Promise<readonly Way[] | string> {
    if (carrier !== null) {
      const { host, port, transport } = carrier;
      const uri = `sip:${hostOfAddress(host)}${port === null ? '' : `:${port}`};transport=${transport}`;
      const tls = { verify: verifyCertificate, name: certificateName };
      const found = await this.#endpoint.targets.find(uri, { owner: 'operator', tls });
      return typeof found === 'string' ? noTarget[found] : found.map((target) => ({ uri, target }));
    }
    const configuration: SipConfiguration = trunk ?? {};
    if (configuration.enabled_sip_registration === true) {
      const contacts = await this.#registrations.contacts(configuration.incoming_auth_username ?? '');
      return contacts.length === 0 ? 'not registered' : contacts;
    }
    if (!configuration.host) return noTarget.unresolved;
    const hostPort = `${hostOfAddress(configuration.host)}${configuration.port ? `:${configuration.port}` : ''}`;
    const found = await hostTargets(this.#endpoint, configuration, hostPort);
    return typeof found === 'string' ? noTarget[found] : found.map((target) => ({ uri: `sip:${hostPort}`, target }));
  }
}
