/** Errors as `/api/v1` answers them, whatever went wrong. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUnavailable, retryAfterSeconds } from '../../db/unavailable.ts';
import { errorEnvelope, VerificationError } from '../errors.ts';

export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (isUnavailable(error)) {
    request.log.warn({ err: error }, 'a verification request was refused for now');
    return reply
      .code(503)
      .header('retry-after', String(retryAfterSeconds))
      .send(errorEnvelope(['service_unavailable']));
  }
  if (!(error instanceof VerificationError)) {
    request.log.error({ err: error }, 'a verification request failed');
    return reply.code(500).send(errorEnvelope(['internal_error']));
  }
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  return reply.code(error.status).send(errorEnvelope(error.codes));
}

export function answerNotFound(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.code(404).send(errorEnvelope(['not_found']));
}
