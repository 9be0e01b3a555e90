/**
 * What people outside would do. `/sandbox/v1/…_verifications/{id}/decision` stands in for the reviewer;
 * `/sandbox/v1/messages` and `/sandbox/v1/scenarios` show what would have been sent, and the fixed test numbers.
 */
import { type Static, Type } from 'typebox';
import { decideVerification } from '../platform/emergency/decide-verification.ts';
import type { Decision, ReviewOutcome } from '../platform/regulation/decision.ts';
import { isUuid } from '../uuid.ts';
import { numberToLookUp } from '../verification/destination.ts';
import { waitForInbox } from '../verification/sandbox-inbox.ts';
import { listScenarios } from '../verification/sandbox-scenarios.ts';
import { BadControlRequest, type Control, ControlError } from './control.ts';

export const decisionBody = Type.Object(
  {
    action: Type.Union([Type.Literal('approve'), Type.Literal('reject')]),
    reasons: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
        maxItems: 50,
        description: 'Why it is rejected; a rejection needs at least one.',
      }),
    ),
    comment: Type.Optional(Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()])),
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
        actor: 'sandbox',
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

const longestWait = 60;

export const messagesControl: Control = (routes, env) => {
  routes.get('/messages', async ({ caller, query, signal }) => {
    const wait = readWait(query.wait);
    const destination = query.destination === undefined ? null : numberToLookUp(query.destination);
    return { body: { messages: await waitForInbox(env, caller.accountId, destination, wait * 1000, signal) } };
  });

  routes.get('/scenarios', async () => ({ body: { scenarios: listScenarios() } }));
};

/** Seconds of real time, cut to the maximum. */
function readWait(text = '0'): number {
  if (typeof text !== 'string' || !/^\d+(\.\d+)?$/.test(text))
    throw new BadControlRequest('wait must be a number of seconds');
  return Math.min(Number(text), longestWait);
}
