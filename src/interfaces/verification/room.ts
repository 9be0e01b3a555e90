/** `/api/v1`: start, report and status of verifications. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { followChanges } from '../../engines/db/outcome.ts';
import { numberToLookUp } from './destination.ts';
import type { VerificationEnvironment } from './environment.ts';
import { VerificationError } from './errors.ts';
import { createExchanges, type Exchange, type ExchangeOptions } from './exchange.ts';
import { type DeliveryMethod, parseStart } from './fields.ts';
import { counting, countReport, countStart } from './metrics.ts';
import { reportVerification } from './report-verification.ts';
import { answerError, answerNotFound, corsHeaders, preflightHeaders, type ShownRow, serialise } from './responses.ts';
import { startVerification } from './start-verification.ts';
import { findVerification, type Target, type VerificationRow } from './verification.ts';

type Operation = (exchange: Exchange, target: Target) => Promise<ShownRow>;

export async function verificationRoom(
  app: FastifyInstance,
  env: VerificationEnvironment,
  options: ExchangeOptions = {},
): Promise<void> {
  await app.register(async (scope) => routes(scope, env, options), { prefix: '/api/v1' });
}

function routes(app: FastifyInstance, env: VerificationEnvironment, options: ExchangeOptions): void {
  const open = createExchanges(env, options);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(corsHeaders);
    // Before the framework checks the content type, which would hide that there is no such route.
    if (request.is404) return answerNotFound(request, reply);
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(answerNotFound);
  for (const url of ['/', '/*']) {
    app.options(
      url,
      { onRequest: async (_request, reply) => reply.headers(preflightHeaders).code(204).send() },
      unreachable,
    );
  }

  const find = async ({ application, settings }: Exchange, target: Target): Promise<VerificationRow> => {
    const row = await findVerification(env, application, target, settings.retentionHours);
    if (row === null) throw new VerificationError('not_found');
    return row;
  };
  const start: Operation = (exchange) => {
    let method: DeliveryMethod | 'unknown' = 'unknown';
    const work = () => {
      const fields = parseStart(exchange.data(), exchange.settings.newerFields);
      method = fields.deliveryMethod;
      return startVerification({ ...exchange, env }, fields);
    };
    return counting(env, work, (outcome) => countStart(env, method, outcome));
  };
  const report: Operation = (exchange, target) => {
    const work = () => reportVerification(env, { ...exchange, target });
    return counting(env, work, (result) => countReport(env, result));
  };

  /**
   * Everything happens in `onRequest`, before the framework reads the body: authentication comes before errors of the
   * body, and the signature covers its bytes.
   */
  const serve = (method: string | string[], url: string, status: number, operation: Operation) =>
    app.route({
      method,
      url,
      exposeHeadRoute: false,
      onRequest: async (request, reply) => {
        const exchange = await open(request);
        followChanges();
        const row = await operation(exchange, targetOf(request));
        return reply.code(status).send({ data: serialise(row, env.clock.now(), exchange.settings.newerFields) });
      },
      handler: unreachable,
    });

  serve('POST', '/verifications', 201, start);
  serve('GET', '/verifications/:id', 200, find);
  serve(['PATCH', 'PUT'], '/verifications/:id', 200, report);
  serve('GET', '/verifications/by_number/:number', 200, find);
  serve(['PATCH', 'PUT'], '/verifications/by_number/:number', 200, report);
}

function targetOf({ params, originalUrl }: FastifyRequest): Target {
  if (typeof params !== 'object' || params === null) return { id: '' };
  if ('id' in params) return { id: String(params.id) };
  // From the undecoded path: the router has decoded its own copy already.
  const path = (originalUrl.split('?', 1)[0] ?? '').replace(/\/$/, '');
  return { number: numberInPath(path.split('/').at(-1) ?? '') };
}

/** Empty when the segment is not valid percent-encoding. */
function numberInPath(segment: string): string {
  try {
    return numberToLookUp(decodeURIComponent(segment));
  } catch {
    return '';
  }
}

function unreachable(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply;
}
