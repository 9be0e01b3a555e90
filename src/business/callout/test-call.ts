/**
 * A short real call through one carrier, for an operator who wants to know whether it carries calls: it is hung up as
 * soon as it is answered, or given up after a time. Nothing is said.
 */

import type { Environment } from '../../engines/environment.ts';
import type { WithSip } from '../b2bua/endpoint.ts';
import type { CarrierTarget } from '../voice/carriers/find-routes.ts';
import { type DialledNumber, dialling, openLeg, targetsOf } from './carrier-leg.ts';
import { SpokenCall } from './spoken-call.ts';

interface TestCallResult {
  answered: boolean;
  /** The final response of the carrier; null if there was none because nobody was asked. */
  code: number | null;
  /** From the first sign of ringing to the end of it; null if the phone did not ring. */
  ringMs: number | null;
  reason: string;
}

export const longestRingMs = 30_000;
/** An answer that is on hold from the beginning is hung up on after this time. */
const longestAnswerMs = 5_000;

export async function placeTestCall(
  env: Environment & WithSip,
  route: CarrierTarget,
  number: DialledNumber,
  signal: AbortSignal,
): Promise<TestCallResult> {
  const notPlaced = (reason: string): TestCallResult => ({ answered: false, code: null, ringMs: null, reason });
  const { endpoint } = env.sip;
  if (endpoint === null) return notPlaced('SIP is off in the process that should place the call');
  const targets = await targetsOf(endpoint, route);
  if (typeof targets === 'string') return notPlaced(targets);
  const times: { rang?: number; answered?: number } = {};
  const call = new SpokenCall(
    await openLeg(env, endpoint, targets),
    {
      dial: { ...(await dialling(endpoint, route, number, targets)), callId: endpoint.agent.ids.next() },
      frames: [],
      framesThatMatter: 0,
      ringingMs: longestRingMs,
      longestMs: longestAnswerMs,
      ringing: () => {
        times.rang ??= performance.now();
      },
      answered: () => {
        times.answered = performance.now();
      },
    },
    signal,
  );
  const { code, reason } = await call.run(endpoint);
  const { rang, answered: at } = times;
  const ringMs = rang === undefined ? null : Math.round((at ?? performance.now()) - rang);
  const answered = at !== undefined;
  return { answered, code, ringMs, reason: answered ? 'answered and hung up' : reason };
}
