/** Timers of RFC 3261 17 (table 4) and RFC 6026, in milliseconds, all derived from T1, T2 and T4. */

export interface TimerValues {
  /** Estimate of the round trip; first pause before a retransmission (A, E, G). */
  t1: number;
  /** Longest pause between retransmissions of requests other than INVITE, and of final responses (E, G). */
  t2: number;
  /** How long a message can stay in the network (I, K). */
  t4: number;
  /** 64 × T1: how long anything is tried or waited for (B, F, H, J, L, M, and CANCEL). */
  giveUp: number;
  /** How long retransmitted final responses to an INVITE are acknowledged (D). */
  d: number;
  /** An INVITE that is not answered within this time gets a 100. */
  trying: number;
}

export const timerValues: TimerValues = timersFor(500);

export function timersFor(t1: number): TimerValues {
  return { t1, t2: 8 * t1, t4: 10 * t1, giveUp: 64 * t1, d: Math.max(64 * t1, 32_000), trying: 200 };
}
