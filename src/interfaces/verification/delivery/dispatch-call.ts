/**
 * Delivers a code by a call through the carriers. The record can be reported from the answer on, since the code is
 * heard while the call goes on; it fails if nobody answers or the called party hangs up before the code was said once.
 */
import { type CodeCall, type CodeCallOutcome, speakCodeTo } from '../../../business/callout/speak-code.ts';
import { LaneFull, type Leave } from '../../../engines/jobs/lanes.ts';
import { calloutAudio } from '../callout-audio.ts';
import { generateCode } from '../codes.ts';
import type { VerificationEnvironment } from '../environment.ts';
import { faultPoint } from '../fault-points.ts';
import { observeDispatch } from '../metrics.ts';
import { readSettings, type VerificationSettings } from '../settings.ts';
import { callerOf } from './caller-number.ts';
import { DeliveryWithdrawn } from './provider.ts';
import { endDispatch, markBegun, markDispatched, markRefused } from './sending-steps.ts';
import type { Dispatch } from './waiting-code.ts';

/** Calls of this process at once, over all accounts: each is a stream of 50 packets a second. */
const mostCalls = 400;

export async function dispatchCall(
  env: VerificationEnvironment,
  dispatch: Dispatch,
  signal: AbortSignal,
): Promise<void> {
  const settings = await readSettings(env);
  const leave = enter(env, dispatch, settings);
  if (leave === null) throw new LaneFull(fullLane(env, dispatch));
  const code = generateCode(dispatch.codeLength);
  const outcome = await speak(env, dispatch, settings, code, signal, {
    begin: () => markBegun(env, dispatch, code, null),
    withdrawn: () => markRefused(env, dispatch, null),
    answered: async () => {
      await markDispatched(env, dispatch, null);
      faultPoint('dispatch.committed');
    },
  }).finally(leave);
  if (outcome === 'aborted') signal.throwIfAborted();
  if (outcome === 'not_heard') await endDispatch(env, dispatch.id, 'dispatch_failed');
}

/** The code is in the inbox already and the record dispatched; it fails like a real one if the call does. */
export async function ringFromInbox(
  env: VerificationEnvironment,
  dispatch: Dispatch,
  code: string,
  signal: AbortSignal,
): Promise<void> {
  const settings = await readSettings(env);
  if (settings.sandboxCalls !== 'ring') return;
  const leave = enter(env, dispatch, settings);
  if (leave === null) return env.log.warn({ verification: dispatch.id }, 'no phone rings: too many calls at once');
  const nothing = async () => undefined;
  const steps = { begin: nothing, withdrawn: nothing, answered: nothing };
  const outcome = await speak(env, dispatch, settings, code, signal, steps).finally(leave);
  if (outcome === 'not_heard' || outcome === 'aborted') await endDispatch(env, dispatch.id, 'dispatch_failed');
}

/** Null if the verification needs no call any more. */
async function speak(
  env: VerificationEnvironment,
  dispatch: Dispatch,
  settings: VerificationSettings,
  code: string,
  signal: AbortSignal,
  steps: Pick<CodeCall, 'begin' | 'withdrawn' | 'answered'>,
): Promise<CodeCallOutcome | null> {
  const began = performance.now();
  try {
    const call = {
      ...steps,
      verificationId: dispatch.id,
      accountId: dispatch.accountId,
      destination: dispatch.destination,
      caller: callerOf(dispatch.senders, dispatch.destination, settings),
      spoken: await calloutAudio(dispatch.language, code),
      ringSeconds: settings.ringSeconds,
    };
    const outcome = await speakCodeTo(env, call, signal);
    observeDispatch(env, 'call', outcome === 'heard' ? 'sent' : 'refused', (performance.now() - began) / 1000);
    return outcome;
  } catch (error) {
    if (error instanceof DeliveryWithdrawn) return null;
    throw error;
  }
}

/** One account's calls that nobody answers must not keep others waiting. Null if there are too many. */
function enter(
  env: VerificationEnvironment,
  { accountId }: Dispatch,
  { accountCalls }: VerificationSettings,
): Leave | null {
  return env.jobs.lanes.tryEnterAll([
    { name: accountLane(accountId), limit: accountCalls },
    { name: allCallsLane, limit: mostCalls },
  ]);
}

const allCallsLane = 'calls';
const accountLane = (accountId: string) => `calls-of ${accountId}`;

/** The lane whose room the job waits for. */
function fullLane(env: VerificationEnvironment, { accountId }: Dispatch): string {
  return env.jobs.lanes.isFull(accountLane(accountId)) ? accountLane(accountId) : allCallsLane;
}
