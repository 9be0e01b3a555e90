/** Asks one provider to send, and sorts what comes back into what it means for the record. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '../../environment.ts';
import { observeDispatch } from '../metrics.ts';
import { openProvider } from './open-providers.ts';
import { type Begin, DeliveryRefused, DeliveryUnknown, DeliveryWithdrawn, type OutgoingMessage } from './provider.ts';
import type { RoutedProvider } from './routes.ts';

export type Asked =
  /** It took the message; its names for it, which may be none. */
  | { outcome: 'sent'; messageIds: string[] }
  /** It surely did not take it. */
  | { outcome: 'refused' }
  /** It may have taken it. */
  | { outcome: 'unknown' }
  | { outcome: 'withdrawn' };

const AGAIN_AFTER_MS = [500, 2000];

/** A provider that knows idempotency keys is asked until it says something: it sends once however often it is asked. */
export async function askProvider(
  env: Environment,
  provider: RoutedProvider,
  message: OutgoingMessage,
  begin: Begin,
): Promise<Asked> {
  const first = await askOnce(env, provider, message, begin);
  if (first.outcome !== 'unknown' || provider.settings.idempotent !== true) return first;
  for (const wait of AGAIN_AFTER_MS) {
    await pause(wait);
    const again = await askOnce(env, provider, message, async () => undefined);
    if (again.outcome === 'sent') return again;
  }
  // A refusal of the second request says nothing about the first.
  return first;
}

async function askOnce(
  env: Environment,
  provider: RoutedProvider,
  message: OutgoingMessage,
  begin: Begin,
): Promise<Asked> {
  const began = performance.now();
  const asked = await send(env, provider, message, begin);
  if (asked.outcome !== 'withdrawn') {
    observeDispatch(env, provider.kind, asked.outcome, (performance.now() - began) / 1000);
  }
  return asked;
}

async function send(
  env: Environment,
  provider: RoutedProvider,
  message: OutgoingMessage,
  begin: Begin,
): Promise<Asked> {
  const about = { provider: provider.name, verification: message.verificationId };
  let begun = false;
  const beginOnce = async () => {
    await begin();
    begun = true;
  };
  try {
    return { outcome: 'sent', messageIds: await openProvider(env, provider).send(message, beginOnce) };
  } catch (error) {
    if (error instanceof DeliveryWithdrawn) return { outcome: 'withdrawn' };
    const known = error instanceof DeliveryRefused || error instanceof DeliveryUnknown;
    const reason = known ? error.message : error instanceof Error ? error.name : 'unknown';
    if (error instanceof DeliveryRefused || !begun) {
      env.log.warn({ ...about, reason }, 'a provider did not take a message');
      return { outcome: 'refused' };
    }
    // An error nobody thought of is as good as a lost answer: asking another provider might send a second message.
    env.log.warn({ ...about, reason }, 'a provider did not say whether it took a message');
    return { outcome: 'unknown' };
  }
}
