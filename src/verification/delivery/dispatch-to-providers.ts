/**
 * Real delivery. Nobody can make "send" and "note that it was sent" one step across two houses, so the order is: note that
 * sending begins (with the code's hash and the provider), send, note the end. A process killed in between leaves a record
 * that may have been sent. A provider that knows idempotency keys is then asked again; otherwise the record counts as
 * dispatched and nothing is sent a second time. Either way the code in a message that did go out works.
 */
import { sql } from 'kysely';
import type { Environment } from '../../environment.ts';
import { generateCode, hashCode } from '../codes.ts';
import { faultPoint } from '../fault-points.ts';
import { numberFacts } from '../guards/number-facts.ts';
import { readSettings } from '../settings.ts';
import { stillPending } from '../unfinished.ts';
import { type Dispatch, endDispatch, textOf } from './dispatch-state.ts';
import { openProvider } from './open-providers.ts';
import { DeliveryRefused, DeliveryUnknown, type OutgoingMessage } from './provider.ts';
import { providersFor, type RoutedProvider } from './routes.ts';

export async function dispatchToProviders(env: Environment, dispatch: Dispatch): Promise<void> {
  const providers = await providersFor(env, dispatch.deliveryMethod, dispatch.destination);
  if (dispatch.begun) return takeUp(env, dispatch, providers);
  const code = generateCode(dispatch.codeLength);
  const message = await messageOf(env, dispatch, code);
  for (const [index, provider] of providers.entries()) {
    const mayAsk = index === 0 ? claim(env, dispatch, code, provider) : moveOn(env, dispatch, provider);
    if (!(await mayAsk)) return;
    faultPoint('dispatch.claimed');
    const messageIds = await ask(env, provider, message);
    faultPoint('dispatch.sent');
    if (messageIds === null) continue;
    await markDispatched(env, dispatch.id, provider.id, messageIds);
    faultPoint('dispatch.committed');
    return;
  }
  await endDispatch(env, dispatch.id, 'dispatch_failed');
}

/** After a crash. The second code is accepted beside the first: the provider alone knows which of them it has sent. */
async function takeUp(env: Environment, dispatch: Dispatch, providers: RoutedProvider[]): Promise<void> {
  const provider = providers.find(({ id }) => id === dispatch.providerId);
  if (provider?.settings.idempotent !== true) return markDispatched(env, dispatch.id, null, []);
  const code = generateCode(dispatch.codeLength);
  await env.db
    .updateTable('verifications')
    .set({ code_hash: sql`code_hash || ${hashCode(env.serverKey, dispatch.id, code)}::bytea` })
    .where('id', '=', dispatch.id)
    .where(stillPending(env.clock.now()))
    .execute();
  const messageIds = await ask(env, provider, await messageOf(env, dispatch, code));
  await markDispatched(env, dispatch.id, provider.id, messageIds ?? []);
}

/** Null when the provider surely did not take it; else its names for the message, which may be none. */
async function ask(env: Environment, provider: RoutedProvider, message: OutgoingMessage): Promise<string[] | null> {
  const about = { provider: provider.name, verification: message.verificationId };
  try {
    return await openProvider(env, provider).send(message);
  } catch (error) {
    if (error instanceof DeliveryRefused) {
      env.log.warn({ ...about, reason: error.message }, 'a provider refused a message');
      return null;
    }
    // An error nobody thought of is as good as a lost answer: asking another provider might send a second message.
    const reason = error instanceof DeliveryUnknown ? error.message : error instanceof Error ? error.name : 'unknown';
    env.log.warn({ ...about, reason }, 'a provider did not say whether it took a message');
    return [];
  }
}

/** Only one process gets to send, however often the job runs. */
async function claim(env: Environment, { id }: Dispatch, code: string, provider: RoutedProvider): Promise<boolean> {
  const now = env.clock.now();
  const { numUpdatedRows } = await env.db
    .updateTable('verifications')
    .set({
      dispatch_started_at: now,
      dispatch_provider_id: provider.id,
      code_hash: hashCode(env.serverKey, id, code),
    })
    .where('id', '=', id)
    .where('dispatch_started_at', 'is', null)
    .where(stillPending(now))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** To the next provider, if the record still waits for it. */
async function moveOn(env: Environment, { id }: Dispatch, provider: RoutedProvider): Promise<boolean> {
  const { numUpdatedRows } = await env.db
    .updateTable('verifications')
    .set({ dispatch_provider_id: provider.id })
    .where('id', '=', id)
    .where(stillPending(env.clock.now()))
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

async function markDispatched(
  env: Environment,
  id: string,
  providerId: string | null,
  messageIds: string[],
): Promise<void> {
  const now = env.clock.now();
  await env.db.transaction().execute(async (trx) => {
    await trx
      .updateTable('verifications')
      .set({ dispatched_at: now })
      .where('id', '=', id)
      .where('dispatched_at', 'is', null)
      .where(stillPending(now))
      .execute();
    faultPoint('dispatch.marked');
    if (providerId === null || messageIds.length === 0) return;
    await trx
      .insertInto('verification_sent_messages')
      .values(
        messageIds.map((messageId) => ({
          provider_id: providerId,
          message_id: messageId,
          verification_id: id,
          sent_at: now,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  });
}

async function messageOf(env: Environment, dispatch: Dispatch, code: string): Promise<OutgoingMessage> {
  return {
    verificationId: dispatch.id,
    destination: dispatch.destination,
    deliveryMethod: dispatch.deliveryMethod,
    text: textOf(dispatch, code),
    code,
    language: dispatch.language,
    sender: await senderOf(env, dispatch),
    validityMinutes: Math.ceil(dispatch.codeTimeout / 60),
  };
}

async function senderOf(env: Environment, { senders, destination }: Dispatch): Promise<string> {
  const country = Object.keys(senders).length > 0 ? numberFacts(destination).country : null;
  return senders[country ?? 'default'] ?? senders.default ?? (await readSettings(env)).sender;
}
