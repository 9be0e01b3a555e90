/** All wires of one SIP element: parses what arrives, refuses what is damaged, and finds the wire for what is sent. */
import QuickLRU from 'quick-lru';
import { responseTo } from '../message/build.ts';
import { checkMessage } from '../message/check.ts';
import { longestDatagramRequest } from '../message/limits.ts';
import type { SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import { afterEmptyLines, parseMessage } from '../message/parse.ts';
import { serialise } from '../message/serialise.ts';
import { SipError } from '../message/sip-error.ts';
import { formatHostPort, hostOfAddress } from '../message/uri.ts';
import type { Timers } from '../timers.ts';
import { TokenBucket } from '../token-bucket.ts';
import { noteSource, responseTarget } from './response-target.ts';
import { type Flow, familyOf, type Received, type Sent, type Target, type TransportName, type Wire } from './wire.ts';

export interface MessageHandler {
  receiveRequest(request: SipRequest, flow: Flow): void;
  receiveResponse(response: SipResponse, flow: Flow): void;
}

/** For logs, metrics and traces. Every member may be left out. */
interface TransportObserver {
  /** A packet that was neither accepted nor answered, and why. */
  dropped?(reason: string, flow: Flow): void;
  /** A request that was refused before any transaction. */
  refused?(status: number, reason: string, flow: Flow): void;
  warning?(text: string): void;
  trace?(direction: 'in' | 'out', bytes: Buffer, peer: Target): void;
}

export interface TransportOptions {
  /** Answer datagrams to their source port even where the request has no `rport`. */
  alwaysToSource?: boolean;
  /** What comes from there is dropped without being looked at. */
  ignores?(flow: Flow): boolean;
  observer?: TransportObserver;
}

/** What peers see of a wire in Via and Contact: never the bind or container address by accident. */
export interface Local {
  transport: TransportName;
  host: string;
  port: number;
}

interface Attached {
  wire: Wire;
  local: Local;
}

/** Refusals of damaged requests per second. More would make this element a reflector. */
const mostRefusals = 100;
/** How long a peer that refused TCP for a long request is not asked again. */
const withoutTcpMs = 60_000;

export class TransportLayer {
  readonly #attached: Attached[] = [];
  readonly #handler: MessageHandler;
  readonly #timers: Timers;
  readonly #options: TransportOptions;
  readonly #observer: TransportObserver;
  readonly #refusals: TokenBucket;
  readonly #withoutTcp = new QuickLRU<string, number>({ maxSize: 10_000 });

  constructor(handler: MessageHandler, timers: Timers, options: TransportOptions = {}) {
    this.#handler = handler;
    this.#timers = timers;
    this.#options = options;
    this.#observer = options.observer ?? {};
    this.#refusals = new TokenBucket({ perSecond: mostRefusals, burst: mostRefusals }, timers);
  }

  /** `advertised.port` defaults to the port that the wire listens on. */
  attach(wire: Wire, advertised: { host: string; port?: number }): Local {
    const host = hostOfAddress(advertised.host);
    const local = { transport: wire.transport, host, port: advertised.port ?? wire.port };
    this.#attached.push({ wire, local });
    return local;
  }

  async close(): Promise<void> {
    await Promise.all(this.#attached.splice(0).map(({ wire }) => wire.close()));
  }

  /** What a wire calls with each message. */
  readonly received: Received = (bytes, flow) => {
    if (afterEmptyLines(bytes) === bytes.length || this.#options.ignores?.(flow)) return;
    this.#observer.trace?.('in', bytes, flow);
    let message: SipMessage;
    try {
      message = parseMessage(bytes);
    } catch (error) {
      if (!(error instanceof SipError)) throw error;
      this.#observer.dropped?.(error.message, flow);
      return;
    }
    const problem = checkMessage(message);
    if (problem) return this.#refuse(message, problem, flow);
    try {
      this.#hand(message, flow);
    } catch (error) {
      // A header that only the upper layers read, for example Record-Route, is damaged.
      if (!(error instanceof SipError)) throw error;
      this.#refuse(message, error, flow);
    }
  };

  #hand(message: SipMessage, flow: Flow): void {
    if (!message.isRequest) return void this.#handler.receiveResponse(message, flow);
    noteSource(message, flow);
    this.#handler.receiveRequest(message, flow);
  }

  /** How this element names itself towards a peer, or null when it has no such wire. */
  localFor(transport: TransportName, address: string): Local | null {
    return this.#find(transport, address)?.local ?? null;
  }

  send(bytes: Buffer, target: Target, sent: Sent): void {
    const found = this.#find(target.transport, target.address);
    if (!found) return void sent(new Error(`no ${target.transport} wire for this address family`));
    this.#observer.trace?.('out', bytes, target);
    found.wire.send(bytes, target, sent);
  }

  sendResponse(response: SipResponse, bytes: Buffer, flow: Flow, sent: Sent): void {
    this.send(bytes, responseTarget(response.via, flow, this.#options.alwaysToSource === true), sent);
  }

  /** RFC 3261 18.1.1: where a request this long should go instead of UDP, or null to stay. */
  streamInstead(target: Target, bytes: number): Target | null {
    if (target.transport !== 'UDP' || bytes <= longestDatagramRequest) return null;
    const refusedAt = this.#withoutTcp.get(formatHostPort(hostPort(target)));
    if (refusedAt !== undefined && this.#timers.now() - refusedAt < withoutTcpMs) return null;
    return this.#find('TCP', target.address) ? { ...target, transport: 'TCP' } : null;
  }

  /** The peer did not accept TCP for a long request, which goes by UDP after all. */
  noteWithoutTcp(target: Target): void {
    const peer = formatHostPort(hostPort(target));
    this.#withoutTcp.set(peer, this.#timers.now());
    this.#observer.warning?.(`${peer} takes no TCP; a long request was sent by UDP`);
  }

  #find(transport: TransportName, address: string): Attached | undefined {
    const family = familyOf(address);
    return this.#attached.find(({ wire }) => wire.transport === transport && wire.family === family);
  }

  /** Answers a damaged request without a transaction, if it says enough to be answered. */
  #refuse(message: SipMessage, problem: SipError, flow: Flow): void {
    if (!message.isRequest || message.method === 'ACK' || !isAnswerable(message) || !this.#refusals.take()) {
      this.#observer.dropped?.(problem.message, flow);
      return;
    }
    try {
      noteSource(message, flow);
      const response = responseTo(message, problem.status, problem.message);
      this.sendResponse(response, serialise(response), flow, ignoreSent);
      this.#observer.refused?.(problem.status, problem.message, flow);
    } catch (error) {
      // Too damaged to be copied into a response. An error here would end the process.
      if (!(error instanceof SipError)) throw error;
      this.#observer.dropped?.(problem.message, flow);
    }
  }
}

export function ignoreSent(): void {}

function isAnswerable(request: SipRequest): boolean {
  try {
    return request.via.host !== '' && request.headers.has('CSeq') && request.callId !== '';
  } catch {
    return false;
  }
}

function hostPort({ address, port }: Target): { host: string; port: number } {
  return { host: hostOfAddress(address), port };
}
