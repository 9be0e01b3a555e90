/** Sends one message through one provider, for an operator who wants to know whether it works. */

import { isUuid } from '../../../base/uuid.ts';
import type { VerificationEnvironment } from '../environment.ts';
import { readSettings } from '../settings.ts';
import { openProvider } from './open-providers.ts';
import { DeliveryRefused, DeliveryUnknown } from './provider.ts';

/** Never throws: what went wrong is the result. Nothing in the sandbox reaches a provider. */
export async function sendTestMessage(
  env: VerificationEnvironment,
  providerId: string,
  destination: string,
  testId: string,
  signal: AbortSignal,
): Promise<{ ok: boolean; text: string }> {
  if (env.name === 'sandbox') return { ok: false, text: 'the sandbox sends nothing to providers' };
  const row = isUuid(providerId)
    ? await env.db.selectFrom('verification_providers').selectAll().where('id', '=', providerId).executeTakeFirst()
    : undefined;
  if (row === undefined) return { ok: false, text: 'the provider was removed' };
  const { id, name, kind, settings, failures, sealed_secret: sealedSecret, set_aside_until: setAsideUntil } = row;
  const provider = openProvider(env, { id, name, kind, settings, sealedSecret, failures, setAsideUntil });
  const { sender } = await readSettings(env);
  const message = {
    ...{ verificationId: testId, destination, deliveryMethod: 'sms' as const, sender },
    ...{ text: 'This is a test message.', code: '000000', language: 'en-US', validityMinutes: 5 },
  };
  try {
    const ids = await provider.send(message, async () => undefined, signal);
    return { ok: true, text: ids.length === 0 ? 'accepted' : `accepted as ${ids.join(', ')}` };
  } catch (error) {
    const known = error instanceof DeliveryRefused || error instanceof DeliveryUnknown;
    return { ok: false, text: known ? error.message : 'an unexpected error; the log of the worker has it' };
  }
}
