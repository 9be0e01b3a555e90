/** Asks one provider to send a message, and classifies the result. */
import { setTimeout as pause } from 'node:timers/promises';
import type { VerificationEnvironment } from '../environment.ts';
import { countProviderFailure, observeDispatch } from '../metrics.ts';
import {
  type Begin,
  type DeliveryProvider,
  DeliveryRefused,
  DeliveryUnknown,
  DeliveryWithdrawn,
  type OutgoingMessage,
} from './provider.ts';
import { noteFailure, noteSuccess, type RoutedProvider } from './routing.ts';

type SendResult =
  /** It took the message; its ids for it, if it gave any. */
  | { outcome: 'sent'; messageIds: string[] }
  /** It certainly did not take the message. */
  | { outcome: 'refused' }
  /** It may have taken the message. */
  | { outcome: 'unknown' }
  /** The message must not be sent any more. */
  | { outcome: 'withdrawn' }
  /** It certainly did not take the message, because this process stops. */
  | { outcome: 'aborted' };

interface SendRequest {
  routed: RoutedProvider;
  provider: DeliveryProvider;
  message: OutgoingMessage;
  begin: Begin;
  /** Aborted when the process stops. */
  signal: AbortSignal;
}

const retryDelaysMs = [500, 2000];
/** How long a provider may take to give up after an abort. */
const abortGraceMs = 200;

/**
 * A provider that supports idempotency keys is asked again if the result is unknown: it sends once however often it is
 * asked. If the process stops meanwhile, the job's next run asks again.
 */
export async function askProvider(env: VerificationEnvironment, request: SendRequest): Promise<SendResult> {
  const first = await askOnce(env, request);
  if (first.outcome !== 'unknown' || request.routed.settings.idempotent !== true) return first;
  for (const wait of retryDelaysMs) {
    await pause(wait, undefined, { signal: request.signal });
    const again = await askOnce(env, { ...request, begin: async () => undefined });
    if (again.outcome === 'sent') return again;
  }
  // A refusal of the second request says nothing about the first.
  return first;
}

async function askOnce(env: VerificationEnvironment, request: SendRequest): Promise<SendResult> {
  const began = performance.now();
  const result = await send(env, request);
  if (result.outcome !== 'withdrawn' && result.outcome !== 'aborted') {
    observeDispatch(env, request.routed.kind, result.outcome, (performance.now() - began) / 1000);
  }
  return result;
}

async function send(
  env: VerificationEnvironment,
  { routed, provider, message, begin, signal }: SendRequest,
): Promise<SendResult> {
  let begun = false;
  const beginOnce = async () => {
    await begin();
    begun = true;
  };
  try {
    const messageIds = await unlessAborted(provider.send(message, beginOnce, signal), signal);
    await orLog(env, noteSuccess(env, routed));
    return { outcome: 'sent', messageIds };
  } catch (error) {
    if (error instanceof DeliveryWithdrawn) return { outcome: 'withdrawn' };
    const refused = error instanceof DeliveryRefused || !begun;
    if (signal.aborted) return { outcome: refused ? 'aborted' : 'unknown' };
    await noteProblem(env, routed, message, error, refused);
    // Treat an unexpected error like a lost response: another provider might send a second message.
    return { outcome: refused ? 'refused' : 'unknown' };
  }
}

async function noteProblem(
  env: VerificationEnvironment,
  routed: RoutedProvider,
  message: OutgoingMessage,
  error: unknown,
  refused: boolean,
): Promise<void> {
  const known = error instanceof DeliveryRefused || error instanceof DeliveryUnknown;
  const reason = known ? error.message : error instanceof Error ? error.name : 'unknown';
  const about = { provider: routed.name, verification: message.verificationId, reason };
  env.log.warn(
    about,
    refused ? 'a provider did not take a message' : 'a provider did not say whether it took a message',
  );
  countProviderFailure(env, routed.name, known ? error.reason : 'internal');
  const fault = !(error instanceof DeliveryRefused) || error.fault;
  await orLog(env, fault ? noteFailure(env, routed, reason) : noteSuccess(env, routed));
}

/** Logs an error instead of throwing it: the result of the message does not depend on it. */
async function orLog(env: VerificationEnvironment, writing: Promise<void>): Promise<void> {
  await writing.catch((error) => env.log.warn({ err: error }, "a provider's health could not be written"));
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let giveUp: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = () => {
      setTimeout(() => reject(new DeliveryUnknown('the process stops', 'aborted')), abortGraceMs);
    };
    signal.addEventListener('abort', giveUp, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
