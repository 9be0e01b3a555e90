/**
 * `GET /panel/v1/registration_checks`: what a registration still needs, judged as its submission will be, with the
 * numbers and their places. Nothing is stored.
 */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../base/uuid.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { callerOf } from '../platform/context.ts';
import { checkSubmission } from '../platform/regulation/check-submission.ts';
import { loadNumbers, type RegistrableNumber } from '../platform/regulation/registrable-numbers.ts';
import { type ContextOf, parametersOf, plain } from './plain-routes.ts';

/** A submission has no more numbers than a page of choices. */
const mostNumbers = 100;

const parameters = ['numbers', 'identity', 'address', 'onetime_files', 'service_description'] as const;

export function registrationChecksRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/registration_checks', { config: plain('registration_checks') }, async (request, reply) => {
    const context = contextOf(request);
    const given = parametersOf(request, parameters);
    const idOf = (name: 'identity' | 'address') => {
      const text = given[name];
      if (text !== undefined && !isUuid(text)) throw new ApiError([errors.invalidFieldValue(text, name)]);
      return text ?? null;
    };
    const ids = (given.numbers ?? '').split(',');
    if (ids.length > mostNumbers || !ids.every(isUuid)) {
      throw new ApiError([errors.invalidFieldValue(given.numbers ?? '', 'numbers')]);
    }
    const files = given.onetime_files ?? '0';
    if (!/^\d{1,3}$/.test(files)) throw new ApiError([errors.invalidFieldValue(files, 'onetime_files')]);
    const { accountId } = callerOf(context);
    const { db } = context.env;
    const numbers = await loadNumbers(db, accountId, ids);
    const problems = await checkSubmission(db, {
      ...{ accountId, numbers, identityId: idOf('identity'), addressId: idOf('address'), now: context.now },
      onetimeFiles: Number(files),
      serviceDescription: given.service_description?.trim() || null,
    }).catch((error: unknown) => {
      // A submission with them would be refused; as a question, they are not there.
      throw error instanceof ApiError
        ? new ApiError([errors.recordNotFound(given.address ?? given.identity ?? '')])
        : error;
    });
    return reply.send({
      numbers: ids.map((id) =>
        shown(
          id,
          numbers.find((number) => number.id === id),
        ),
      ),
      problems,
    });
  });
}

function shown(id: string, found: RegistrableNumber | undefined) {
  const { number, requirement_id, pending_verification_id } = found ?? {};
  return {
    id,
    number: number ?? null,
    state: found === undefined ? 'unknown' : stateOf(found),
    requirement_id: requirement_id ?? null,
    pending_verification_id: pending_verification_id ?? null,
  };
}

export const numberStates = ['unregistered', 'under_review', 'registered', 'unknown'] as const;

function stateOf(number: RegistrableNumber): (typeof numberStates)[number] {
  if (number.pending_verification_id !== null) return 'under_review';
  return number.awaiting_registration && number.requirement_id !== null ? 'unregistered' : 'registered';
}
