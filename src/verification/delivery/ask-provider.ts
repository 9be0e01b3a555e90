/** Asks one provider to send, and sorts what comes back into what it means for the record. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../../environment.ts';
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

export type Asked =
  /** It took the message; its names for it, which may be none. */
  | { outcome: 'sent'; messageIds: string[] }
  /** It surely did not take it. */
  | { outcome: 'refused' }
  /** It may have taken it. */
  | { outcome: 'unknown' }
  | { outcome: 'withdrawn' }
  /** It surely did not take it, because this process stops. */
  | { outcome: 'aborted' };

export interface Question {
  routed: RoutedProvider;
  provider: DeliveryProvider;
  message: OutgoingMessage;
  begin: Begin;
  /** Aborted when the process stops. */
  signal: AbortSignal;
}

const retryDelaysMs = [500, 2000];
/** A provider that can give up at once says so itself; after this nobody waits for it any more. */
const abortGraceMs = 200;

/**
 * A provider that knows idempotency keys is asked until it says something: it sends once however often it is asked. When
 * the process stops meanwhile, another one asks again.
 */
export async function askProvider(env: Environment, question: Question): Promise<Asked> {
  const first = await askOnce(env, question);
  if (first.outcome !== 'unknown' || question.routed.settings.idempotent !== true) return first;
  for (const wait of retryDelaysMs) {
    await pause(wait, undefined, { signal: question.signal });
    const again = await askOnce(env, { ...question, begin: async () => undefined });
    if (again.outcome === 'sent') return again;
  }
  // A refusal of the second request says nothing about the first.
  return first;
}

async function askOnce(env: Environment, question: Question): Promise<Asked> {
  const began = performance.now();
  const asked = await send(env, question);
  if (asked.outcome !== 'withdrawn' && asked.outcome !== 'aborted') {
    observeDispatch(env, question.routed.kind, asked.outcome, (performance.now() - began) / 1000);
  }
  return asked;
}

async function send(env: Environment, { routed, provider, message, begin, signal }: Question): Promise<Asked> {
  let begun = false;
  const beginOnce = async () => {
    await begin();
    begun = true;
  };
  try {
    const messageIds = await unlessAborted(provider.send(message, beginOnce, signal), signal);
    await noted(env, noteSuccess(env, routed));
    return { outcome: 'sent', messageIds };
  } catch (error) {
    if (error instanceof DeliveryWithdrawn) return { outcome: 'withdrawn' };
    const refused = error instanceof DeliveryRefused || !begun;
    if (signal.aborted) return { outcome: refused ? 'aborted' : 'unknown' };
    await noteProblem(env, routed, message, error, refused);
    // An error nobody thought of is as good as a lost answer: asking another provider might send a second message.
    return { outcome: refused ? 'refused' : 'unknown' };
  }
}

async function noteProblem(
  env: Environment,
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
  await noted(env, fault ? noteFailure(env, routed, reason) : noteSuccess(env, routed));
}

/** What became of the message counts, whether or not the provider's health could be written. */
async function noted(env: Environment, writing: Promise<void>): Promise<void> {
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
