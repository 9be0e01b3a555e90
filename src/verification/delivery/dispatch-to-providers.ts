/**
 * Real delivery. Nobody can make "send" and "note that it was sent" one step across two houses, so the order is: note that
 * sending begins (with the code's hash), send, note the end. A process killed in between leaves a record that may have been
 * sent; it counts as dispatched and is never sent a second time, and the code in a message that did go out works.
 */
import type { Environment } from '../../environment.ts';
import { generateCode, hashCode } from '../codes.ts';
import { faultPoint } from '../fault-points.ts';
import { numberFacts } from '../guards/number-facts.ts';
import { readSettings } from '../settings.ts';
import { stillPending } from '../unfinished.ts';
import { type Dispatch, endDispatch, textOf } from './dispatch-state.ts';
import { openProvider } from './open-providers.ts';
import { DeliveryRefused, DeliveryUnknown, type OutgoingMessage } from './provider.ts';
import { providersFor } from './routes.ts';

export async function dispatchToProviders(env: Environment, dispatch: Dispatch): Promise<void> {
  if (dispatch.begun) return markDispatched(env, dispatch.id, null, []);
  const code = generateCode(dispatch.codeLength);
  if (!(await claim(env, dispatch.id, code))) return;
  faultPoint('dispatch.claimed');
  const taken = await sendByRoutes(env, await messageOf(env, dispatch, code));
  faultPoint('dispatch.sent');
  if (taken === null) await endDispatch(env, dispatch.id, 'dispatch_failed');
  else await markDispatched(env, dispatch.id, taken.providerId, taken.messageIds);
  faultPoint('dispatch.committed');
}

interface Taken {
  providerId: string;
  messageIds: string[];
}

/** Null when every provider refused, or there is none. */
async function sendByRoutes(env: Environment, message: OutgoingMessage): Promise<Taken | null> {
  for (const routed of await providersFor(env, message.deliveryMethod, message.destination)) {
    const about = { provider: routed.name, verification: message.verificationId };
    try {
      return { providerId: routed.id, messageIds: await openProvider(env, routed).send(message) };
    } catch (error) {
      if (error instanceof DeliveryRefused) {
        env.log.warn({ ...about, reason: error.message }, 'a provider refused a message');
        continue;
      }
      // An error nobody thought of is as good as a lost answer: asking another provider might send a second message.
      const reason = error instanceof DeliveryUnknown ? error.message : error instanceof Error ? error.name : 'unknown';
      env.log.warn({ ...about, reason }, 'a provider did not say whether it took a message');
      return { providerId: routed.id, messageIds: [] };
    }
  }
  return null;
}

/** Only one process gets to send, however often the job runs. */
async function claim(env: Environment, id: string, code: string): Promise<boolean> {
  const now = env.clock.now();
  const { numUpdatedRows } = await env.db
    .updateTable('verifications')
    .set({ dispatch_started_at: now, code_hash: hashCode(env.serverKey, id, code) })
    .where('id', '=', id)
    .where('dispatch_started_at', 'is', null)
    .where(stillPending(now))
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
