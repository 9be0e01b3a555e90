/** What passes between the benchmark and its processes: the one that sends and hears, and those that relay. */

/** The ports of one call: where its two parties listen, or where the relay listens for each of them. */
export interface CallPorts {
  readonly left: number;
  readonly right: number;
}

export interface Load {
  calls: readonly CallPorts[];
  seconds: number;
  /** Packets a second of each party; null for a closed loop, which sends the next packet when one has arrived. */
  packetsPerSecond: number | null;
}

export interface Heard {
  sent: number;
  received: number;
  /** Of those that are missing: dropped by the kernel at the ports of the parties, which read too late. */
  missedByParties: number;
  seconds: number;
  /** From the sending party to the hearing one, in milliseconds; the times of a closed loop say nothing. */
  delayP50Ms: number;
  delayP99Ms: number;
}

export type ToParties = { kind: 'open'; calls: number } | { kind: 'run'; load: Load };
export type FromParties = { kind: 'opened'; calls: readonly CallPorts[] } | { kind: 'heard'; heard: Heard };

/** `close` ends all calls that there are. */
export type ToRelay = { kind: 'join'; calls: readonly CallPorts[] } | { kind: 'close' };
export type FromRelay = { kind: 'joined'; calls: readonly CallPorts[] } | { kind: 'closed' };
