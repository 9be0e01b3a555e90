/**
 * The SIP endpoint of one environment in one process: its ports, and the user agent on them. Calls in are handed to a
 * `CallTaker`; other rooms place calls of their own with `place`.
 */

import type { Environment } from '../../engines/environment.ts';
import type { MediaEngine } from '../../engines/media/media-engine.ts';
import { Admission } from '../../engines/sip/admission.ts';
import type { IncomingCall } from '../../engines/sip/dialog/incoming-call.ts';
import type { OutgoingCall, OutgoingOptions, OutgoingUser } from '../../engines/sip/dialog/outgoing-call.ts';
import type { SessionUser } from '../../engines/sip/dialog/session.ts';
import { machineIds } from '../../engines/sip/ids.ts';
import { machineResolver, type Resolver } from '../../engines/sip/resolve/resolver.ts';
import { machineTimers, type Timers } from '../../engines/sip/timers.ts';
import type { ServerTransaction } from '../../engines/sip/transaction/server-transaction.ts';
import { WebSockets } from '../../engines/sip/transport/web-sockets.ts';
import type { Wire } from '../../engines/sip/transport/wire.ts';
import { type Overload, UserAgent } from '../../engines/sip/user-agent.ts';
import { CallSigner } from '../caller-identity/signer.ts';
import { momentOf } from '../voice/moment.ts';
import { callIdOf } from '../voice/trace/unclaimed.ts';
import type { DialPolicy } from './dial-policy.ts';
import { reasonValue } from './headers.ts';
import { refusedRequest } from './identity.ts';
import { MediaRefusals } from './media-refusals.ts';
import type { SipConfig, SipPorts } from './sip-settings.ts';
import { SoundCounts } from './sound-counts.ts';
import { SourceGuard } from './source-guard.ts';
import { Sources } from './sources.ts';
import { Taps } from './tap.ts';
import { TargetFinder } from './targets.ts';
import { TranscodedCalls } from './transcoded-calls.ts';
import { WebClients } from './web-clients.ts';
import { advertisedFor, advertisedHost, loopbackOf, openWires } from './wires.ts';

/** Handles what arrives outside of a dialog. */
export interface CallTaker {
  call(call: IncomingCall): void;
  /** Anything but INVITE and OPTIONS. */
  request(transaction: ServerTransaction): void;
  /** OPTIONS, which has been answered. */
  options?(transaction: ServerTransaction): void;
  /** A request within a call that this process does not carry: whether it is answered here. */
  strayed?(transaction: ServerTransaction): boolean;
}

interface EndpointOptions {
  policy: DialPolicy;
  callsPerSecond: number;
  /** Addresses and networks of edges in front of this process. */
  edges?: readonly string[];
  /** Who carries the media of calls; null or absent lets them flow past this process. */
  media?: MediaEngine | null;
  timers?: Timers;
  resolver?: Resolver;
}

export interface SipListeningPorts {
  udp: number;
  tcp: number;
  tls: number | null;
}

/**
 * Calls admitted at once after a quiet moment. A whole second of them would let twice the rate in when a flood begins.
 */
const burstOf = (callsPerSecond: number): number => Math.max(10, Math.ceil(callsPerSecond / 5));

/** Calls neither answered nor ended; each may ring for half a minute. */
const mostInSetup = 10_000;
/**
 * While a call of many waits longer than this for the database to route it, new calls are refused: they would wait
 * longer still.
 */
const mostWaitMs = 1_000;
/** A peer sends a message again after half a second; a call has several, and each of them waits. */
const mostUnreadMs = 150;
/** Retry-After of a process that stops: another one answers at once. */
const drainingRetrySeconds = 5;

const overloadTexts = {
  draining: 'The server is stopping',
  rate: 'Too many new calls in a second',
  setup: 'Too many calls are being set up',
  wait: 'Overload: routing takes too long',
  unread: 'Overload: messages wait too long',
} as const;

export class SipEndpoint {
  readonly env: Environment;
  readonly agent: UserAgent;
  readonly taps = new Taps();
  readonly admission: Admission;
  readonly guard: SourceGuard;
  /** Says where a request came from, also behind an edge. */
  readonly sources: Sources;
  readonly targets: TargetFinder;
  readonly timers: Timers;
  readonly media: MediaEngine | null;
  readonly mediaRefusals: MediaRefusals;
  readonly transcoded: TranscodedCalls;
  /** Signs calls to carriers. */
  readonly signer: CallSigner;
  readonly sounds = new SoundCounts();
  /** Connections of browsers, which an HTTP server hands over. */
  readonly webSockets: WebSockets;
  readonly webClients: WebClients;
  readonly #wires: Wire[] = [];
  /** The address of loopback that this endpoint is reached at; null if it is bound to other addresses only. */
  loopback: string | null = null;
  #taker: CallTaker | null = null;
  #isDraining = false;
  #servesTls = false;

  constructor(env: Environment, options: EndpointOptions) {
    const { timers = machineTimers, resolver = machineResolver() } = options;
    const { random } = Math;
    this.env = env;
    this.timers = timers;
    this.media = options.media ?? null;
    this.mediaRefusals = new MediaRefusals(env.log, timers);
    this.transcoded = new TranscodedCalls(this.media?.transcoding?.most ?? 0);
    this.signer = new CallSigner(env);
    this.guard = new SourceGuard(timers);
    this.sources = new Sources(options.edges ?? []);
    const rate = { perSecond: options.callsPerSecond, burst: burstOf(options.callsPerSecond) };
    const unreadMs = () => Math.max(0, ...this.#wires.map(({ waitMs = 0 }) => waitMs));
    this.admission = new Admission({ rate, mostInSetup, mostWaitMs, mostUnreadMs }, timers, unreadMs);
    this.targets = new TargetFinder({ policy: options.policy, resolver, random, timers, wires: this.#wires });
    this.agent = new UserAgent(
      {
        timers,
        ids: machineIds,
        random,
        addressOf: (host) => this.targets.addressOf(host),
        transport: {
          ignores: ({ address }) => this.guard.ignores(address) && !this.sources.isEdge(address),
          observer: {
            warning: (text) => env.log.warn({ sip: text }, 'SIP'),
            trace: (direction, bytes, peer) => {
              if (!this.taps.hasListeners) return;
              const local = this.agent.transport.localFor(peer.transport, peer.address);
              const remote = { transport: peer.transport, address: peer.address, port: peer.port };
              this.taps.message({ at: momentOf(env.clock), direction, local, remote, callId: callIdOf(bytes), bytes });
            },
          },
        },
      },
      {
        call: (call) => this.#take(call),
        request: (transaction) => (this.#taker ? this.#taker.request(transaction) : transaction.reply(405)),
        options: (transaction) => this.#taker?.options?.(transaction),
        strayed: (transaction) => this.#taker?.strayed?.(transaction) ?? false,
        leaves: () => (this.#isDraining ? this.#refusal('draining') : null),
        overloaded: (transaction) => this.#overload(transaction),
      },
    );
    this.webSockets = new WebSockets(this.agent.transport.received, timers);
    this.webClients = new WebClients(this.webSockets, env);
    this.webSockets.onClosed((flow) => this.agent.connectionEnded(flow));
  }

  /** Opens the ports. */
  async listen(config: SipConfig, ports: SipPorts): Promise<void> {
    const wires = await openWires(config, ports, this.agent.transport.received);
    this.#servesTls = ports.tlsPort !== null;
    this.loopback = loopbackOf(config.hosts);
    for (const wire of wires) {
      const host = config.hosts.find((one) => one.includes(':') === (wire.family === 6)) ?? config.hosts[0] ?? '';
      this.attach(wire, advertisedFor(wire, host, config.advertised));
    }
    // Clients do not look for what stands here: their connection is the way. It names this process all the same.
    const own = { host: advertisedHost(config), port: this.ports.udp };
    for (const wire of this.webSockets.wires) this.agent.transport.attach(wire, own);
  }

  /** For wires that were opened elsewhere, such as those of a simulated network. */
  attach(wire: Wire, advertised: { host: string; port?: number }): void {
    this.#wires.push(wire);
    this.agent.transport.attach(wire, advertised);
  }

  get ports(): SipListeningPorts {
    const portOf = (name: string) => this.#wires.find(({ transport }) => transport === name)?.port ?? null;
    return { udp: portOf('UDP') ?? 0, tcp: portOf('TCP') ?? 0, tls: this.#servesTls ? portOf('TLS') : null };
  }

  /** Who handles new calls. Without anybody they are refused with 503: this endpoint only places calls. */
  takeCalls(taker: CallTaker): void {
    this.#taker = taker;
  }

  /** Whether new calls are handled by this process. */
  get takesCalls(): boolean {
    return this.#taker !== null && !this.#isDraining;
  }

  /** From now on new calls are refused with 503. Calls in progress go on. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Closes the ports. What still has to be said to peers must have been sent. */
  async stop(): Promise<void> {
    this.drain();
    this.webClients.stop();
    await this.agent.close();
  }

  /** Places a call with an SDP of the caller's own; `targets` are found with `this.targets.find`. */
  place(options: OutgoingOptions, user: OutgoingUser, sessionUser: SessionUser): OutgoingCall {
    const targetFailed = (target: Parameters<TargetFinder['failed']>[0]) => this.targets.failed(target);
    return this.agent.place({ targetFailed, ...options }, user, sessionUser);
  }

  /**
   * An edge hears of a call at once: it gives one that nobody has taken after three seconds to another process as well.
   */
  #take(call: IncomingCall): void {
    if (this.#taker === null) return void call.reject(503);
    if (this.sources.isEdge(call.transaction.flow.address)) call.progress(100);
    this.#taker.call(call);
  }

  #overload(transaction: ServerTransaction): Overload | null {
    const refusal = this.#isDraining || this.#taker === null ? 'draining' : this.admission.admit();
    if (refusal === null) return null;
    const text = overloadTexts[refusal];
    this.taps.refused({
      ...refusedRequest(transaction, this.sources.of(transaction), momentOf(this.env.clock)),
      ...{ code: 503, reason: refusal === 'draining' ? 'stopping' : 'overload', text },
    });
    return this.#refusal(refusal);
  }

  #refusal(refusal: keyof typeof overloadTexts): Overload {
    const retryAfter = refusal === 'draining' ? drainingRetrySeconds : this.admission.retryAfter(refusal);
    return { retryAfter, reason: reasonValue(503, overloadTexts[refusal]) };
  }
}

/**
 * The endpoint of this process, or null if it has none: SIP is off, or the process has neither the role `voice` nor
 * `worker`.
 */
export interface WithSip {
  readonly sip: { endpoint: SipEndpoint | null };
}
