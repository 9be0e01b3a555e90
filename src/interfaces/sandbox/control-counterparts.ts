/**
 * What people outside would do. `/sandbox/v1/…_verifications/{id}/decision` stands in for the reviewer;
 * `/sandbox/v1/messages` and `/sandbox/v1/scenarios` show what would have been sent, and the fixed test numbers;
 * `/sandbox/v1/messages/{id}/audio` is what a call would say.
 */

import { isUuid } from '../../base/uuid.ts';
import { wavOf } from '../../engines/speech/wav.ts';
import { type Static, shape } from '../../engines/typed-schema.ts';
import { decideVerification } from '../platform/emergency/decide-verification.ts';
import type { Decision, ReviewOutcome } from '../platform/regulation/decision.ts';
import { calloutAudio } from '../verification/callout-audio.ts';
import { numberToLookUp } from '../verification/destination.ts';
import { type InboxMessage, readInboxCall, waitForInbox } from '../verification/sandbox-inbox.ts';
import { BadControlRequest, type Control, ControlError, readWait } from './control.ts';
import { faultNames, magicValues } from './faults/magic-values.ts';

export const decisionBody = shape.object(
  {
    action: shape.word(['approve', 'reject']),
    reasons: shape.optional(
      shape.array(shape.string({ minLength: 1, maxLength: 1000 }), {
        maxItems: 50,
        description: 'Why it is rejected; a rejection needs at least one.',
      }),
    ),
    comment: shape.optional(shape.either(shape.string({ maxLength: 10_000 }), shape.null())),
  },
  { additionalProperties: false },
);

const reviewedTypes = ['address_verifications', 'emergency_verifications'] as const;

export const decisionsControl: Control = (routes, env) => {
  for (const type of reviewedTypes) {
    routes.post(`/${type}/:id/decision`, decisionBody, async ({ params, body, caller }) => {
      const { id = '' } = params;
      if (!isUuid(id)) throw new ControlError('not_found');
      const outcome = await decideVerification(env, type, {
        id,
        decision: decisionOf(body),
        by: { kind: 'named', id: 'sandbox' },
        accountId: caller.accountId,
      });
      return { body: { id, type, status: statusOf(outcome) } };
    });
  }
};

function decisionOf({ action, reasons, comment }: Static<typeof decisionBody>): Decision {
  if (action === 'approve') return { action };
  const given = (reasons ?? []).map((reason) => reason.trim()).filter((reason) => reason !== '');
  if (given.length === 0) throw new BadControlRequest('reasons must name at least one reason for a rejection');
  return { action, reasons: given, comment: comment ?? null };
}

function statusOf(outcome: ReviewOutcome): string {
  if (outcome.ok) return outcome.status;
  switch (outcome.reason) {
    case 'not_found':
      throw new ControlError('not_found');
    case 'already_decided':
      throw new BadControlRequest('This submission has been decided already.', 409);
    case 'insufficient_balance':
      throw new BadControlRequest('The balance does not cover the first month of the service.', 409);
  }
}

export const messagesControl: Control = (routes, env) => {
  routes.get('/messages', async ({ caller, query, signal, baseUrl }) => {
    const wait = readWait(query.wait);
    const destination = query.destination === undefined ? null : numberToLookUp(query.destination);
    const messages = await waitForInbox(env, caller.accountId, destination, wait * 1000, signal);
    return { body: { messages: messages.map((message) => withAudioUrl(message, baseUrl)) } };
  });

  routes.get('/messages/:id/audio', async ({ caller, params }) => {
    const { id = '' } = params;
    const call = messageId.test(id) ? await readInboxCall(env, caller.accountId, Number(id)) : null;
    if (call === null) throw new ControlError('not_found');
    const { audio } = await calloutAudio(call.language, call.code);
    return { type: 'audio/wav', body: wavOf(audio) };
  });

  routes.get('/scenarios', async () => ({ body: { scenarios: magicValues(), ...faultNames() } }));
};

/** At most as many digits as a number holds exactly. */
const messageId = /^[1-9][0-9]{0,14}$/;

/** Calls can be listened to; text messages have no such member. */
function withAudioUrl(message: InboxMessage, baseUrl: string): InboxMessage & { audio_url?: string } {
  if (message.delivery_method === 'sms') return message;
  return { ...message, audio_url: `${baseUrl}/sandbox/v1/messages/${message.id}/audio` };
}
