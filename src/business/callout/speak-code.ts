/**
 * Speaks a code to a number: a call through the carriers that the operator's routes name, one after another until one
 * carries it. Emergency routes are never used. Every attempt is recorded.
 */

import type { Environment } from '../../engines/environment.ts';
import { frameSamples, framesOf } from '../../engines/speech/rtp.ts';
import type { SpokenCode } from '../../engines/speech/spoken-code.ts';
import type { SipEndpoint, WithSip } from '../b2bua/endpoint.ts';
import { type CarrierTarget, createRouteFinder } from '../voice/carriers/find-routes.ts';
import { type CalledParty, recordAnswer, recordBegin, recordEnd, recordNotPlaced } from './call-records.ts';
import { dialling, openLeg, targetsOf } from './carrier-leg.ts';
import { SpokenCall, type SpokenCallEnd } from './spoken-call.ts';

export interface CodeCall extends CalledParty {
  spoken: SpokenCode;
  ringSeconds: number;
  /** Called right before a carrier is asked; rejects if the call must not be placed any more. */
  begin(): Promise<void>;
  /** The carrier certainly did not put the call through; called before the next one is tried. */
  withdrawn(): Promise<void>;
  /** The call was answered: from now on the code can be heard. */
  answered(): Promise<void>;
}

/** `aborted`: nothing was heard, because this process stops. */
export type CodeCallOutcome = 'heard' | 'not_heard' | 'aborted';

/** Longest time that a called party can keep the call, holding it, beyond the time that speaking takes. */
const longestHoldMs = 60_000;

export async function speakCodeTo(
  env: Environment & WithSip,
  call: CodeCall,
  signal: AbortSignal,
): Promise<CodeCallOutcome> {
  if (call.caller === null) return notPlaced(env, call, missingCaller);
  const { endpoint } = env.sip;
  if (endpoint === null) return notPlaced(env, call, 'SIP is off in the process that should place the call');
  const routes = await createRouteFinder(env)(call.destination, null);
  if (routes.length === 0) {
    return notPlaced(env, call, 'no carrier route leads to this number; add one with trunkline route add');
  }
  for (const route of routes) {
    const end = await attempt(env, endpoint, route, call, signal);
    if (end.outcome === 'spoken') return 'heard';
    if (end.outcome === 'hung_up_early') return 'not_heard';
    await call.withdrawn();
    if (signal.aborted) return 'aborted';
    if (end.rang || (end.code !== null && !route.isRerouted(end.code))) return 'not_heard';
  }
  return 'not_heard';
}

const missingCaller = 'no caller number is set; set one with trunkline otp-guards set callerNumber=NUMBER';

async function notPlaced(env: Environment, call: CodeCall, reason: string): Promise<CodeCallOutcome> {
  env.log.warn({ verification: call.verificationId, reason }, 'a code could not be spoken');
  await recordNotPlaced(env, call, reason);
  return 'not_heard';
}

async function attempt(
  env: Environment,
  endpoint: SipEndpoint,
  route: CarrierTarget,
  call: CodeCall,
  signal: AbortSignal,
): Promise<SpokenCallEnd> {
  const callId = endpoint.agent.ids.next();
  const targets = await targetsOf(endpoint, route);
  const id = await recordBegin(env, call, route, callId);
  const ended = async (end: SpokenCallEnd) => {
    await recordEnd(env, id, route, end);
    return end;
  };
  if (typeof targets === 'string')
    return ended({ outcome: 'refused', code: 503, reason: targets, seconds: 0, rang: false });
  const leg = await openLeg(env, endpoint, targets);
  const answers: Promise<unknown>[] = [];
  try {
    await call.begin();
  } catch (error) {
    await leg.close();
    await ended({ outcome: 'not_placed', code: null, reason: 'no longer wanted', seconds: 0, rang: false });
    throw error;
  }
  const spoken = new SpokenCall(
    leg,
    {
      dial: { ...(await dialling(endpoint, route, call, targets)), callId },
      frames: framesOf(call.spoken.audio),
      framesThatMatter: Math.ceil(call.spoken.firstReading / frameSamples),
      ringingMs: call.ringSeconds * 1000,
      longestMs: (call.spoken.audio.length / 8000) * 1000 + longestHoldMs,
      answered: () => {
        const written = Promise.all([call.answered(), recordAnswer(env, id)]);
        // Awaited once the call has ended; a rejection before that must not count as unhandled.
        written.catch(() => undefined);
        answers.push(written);
      },
    },
    signal,
  );
  const end = await spoken.run(endpoint);
  await Promise.all(answers);
  return ended(end);
}
