/**
 * The embedded media engine: RTP and RTCP of calls relayed by this process, in threads of its own. They start with the
 * first call; one that dies ends its calls, and another takes its place.
 */
import { isIPv6 } from 'node:net';
import { availableParallelism } from 'node:os';
import type { Timer, Timers } from '../../sip/timers.ts';
import { newDtlsIdentity } from '../dtls/certificate.ts';
import {
  type MediaCall,
  type MediaEngine,
  type MediaEngineState,
  MediaUnavailable,
  type MediaUser,
} from '../media-engine.ts';
import { EmbeddedCall } from './embedded-call.ts';
import { PortPairs } from './port-pairs.ts';
import { RelayThread } from './relay-thread.ts';
import type { LocalAddress } from './relayed-leg.ts';

interface EmbeddedEngineOptions {
  /** UDP ports that calls use; null for whatever the system has free. */
  ports: { from: number; to: number } | null;
  /** What sockets are bound to: an IPv4 address, an IPv6 address, or both. The first is for parties that name none. */
  addresses: readonly string[];
  /** What parties are told instead, at most one of each family. */
  advertised?: readonly string[];
  /** As many as there are cores, if absent. */
  threads?: number;
  timers: Timers;
  log: (problem: string) => void;
}

/** A thread and its successors. */
interface Part {
  readonly number: number;
  thread: RelayThread | null;
  startedAt: number;
  problem: string | null;
}

/** Time passes for the threads in these steps. */
const tickMs = 500;
/** A thread that died soon after its start is not started again before. */
const restartMs = 1_000;

export class EmbeddedEngine implements MediaEngine {
  readonly name = 'embedded';
  readonly transcoding = null;
  readonly #options: EmbeddedEngineOptions;
  readonly #ports: PortPairs | null;
  readonly #addresses: readonly LocalAddress[];
  readonly #parts: readonly Part[];
  readonly #calls = new Map<number, EmbeddedCall>();
  readonly #begin: number;
  /** Of all its calls. Parties live in the machine's time, whatever the timers say. */
  readonly #identity = newDtlsIdentity(new Date());
  #lastNumber = 0;
  #ticking: Timer | null = null;
  #tickedAt = 0;
  #isStopped = false;

  /** Throws `RangeError` where the ports hold no pair. */
  constructor(options: EmbeddedEngineOptions) {
    this.#options = options;
    this.#ports = options.ports && PortPairs.ofRange(options.ports);
    this.#addresses = options.addresses.map((host) => ({
      host,
      told: options.advertised?.find((address) => isIPv6(address) === isIPv6(host)) ?? host,
    }));
    const threads = Math.max(1, options.threads ?? availableParallelism());
    this.#parts = Array.from({ length: threads }, (_, at) => ({
      number: at + 1,
      thread: null,
      startedAt: Number.NEGATIVE_INFINITY,
      problem: null,
    }));
    this.#begin = options.timers.now();
  }

  open(_callId: string, user: MediaUser): MediaCall {
    if (this.#isStopped) throw new MediaUnavailable('The media engine has stopped.');
    this.#ticking ??= this.#startTicking();
    for (const part of this.#parts) this.#start(part);
    const thread = this.#leastBusy();
    const number = ++this.#lastNumber;
    const closed = () => void this.#calls.delete(number);
    const call = new EmbeddedCall({ number, thread, user, closed });
    this.#calls.set(number, call);
    return call;
  }

  state(): MediaEngineState {
    return {
      calls: this.#calls.size,
      ports: this.#ports && { all: 2 * this.#ports.all, free: 2 * this.#ports.free },
      parts: this.#parts.map(({ number, thread, problem }) => ({
        name: `thread ${number}`,
        // A thread that no call has asked for yet is as good as one that runs.
        isUp: thread !== null || problem === null,
        calls: this.#callsOf(thread),
        problem: thread === null ? problem : null,
      })),
    };
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#ticking?.close();
    await Promise.all(this.#parts.map(({ thread }) => thread?.stop()));
  }

  #start(part: Part): void {
    const now = this.#options.timers.now();
    if (part.thread !== null || now - part.startedAt < restartMs) return;
    part.startedAt = now;
    const settings = {
      number: part.number,
      ports: this.#ports?.shared ?? null,
      addresses: this.#addresses,
      identity: this.#identity,
    };
    const thread = new RelayThread(settings, {
      silent: (call, leg) => this.#calls.get(call)?.silent(leg),
      keyPressed: (call, leg, key, durationMs) => this.#calls.get(call)?.keyPressed(leg, key, durationMs),
      ended: (reason) => this.#ended(part, thread, reason),
    });
    part.thread = thread;
  }

  #ended(part: Part, thread: RelayThread, reason: string): void {
    part.thread = null;
    this.#ports?.releaseAllOf(part.number);
    if (!this.#isStopped) {
      part.problem = reason;
      this.#options.log(reason);
      this.#start(part);
    }
    for (const call of this.#calls.values()) if (call.thread === thread) call.died(reason);
  }

  #leastBusy(): RelayThread {
    const running = this.#parts.flatMap(({ thread }) => (thread === null ? [] : [thread]));
    const counts = running.map((thread) => this.#callsOf(thread));
    const found = running[counts.indexOf(Math.min(...counts))];
    if (found === undefined)
      throw new MediaUnavailable('No media thread runs: they have failed, and start again soon.');
    return found;
  }

  #callsOf(thread: RelayThread | null): number {
    let count = 0;
    for (const call of this.#calls.values()) if (call.thread === thread) count += 1;
    return count;
  }

  #startTicking(): Timer {
    this.#tickedAt = this.#options.timers.now();
    return this.#options.timers.after(tickMs, () => this.#tick(), undefined);
  }

  #tick(): void {
    const { timers } = this.#options;
    const now = timers.now();
    this.#ports?.setTime(now - this.#begin);
    for (const { thread } of this.#parts) thread?.send({ kind: 'tick', ms: now - this.#tickedAt });
    this.#tickedAt = now;
    this.#ticking = timers.after(tickMs, () => this.#tick(), undefined);
  }
}
