/** Records the requests of clients to a sandbox, so that a test can see what its program sent and got. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bodyBytes, RequestSlot } from '../../base/request-slot.ts';
import type { RequestWork } from '../../engines/db/work.ts';
import type { Environment } from '../../engines/environment.ts';
import { blankBody, blankPath } from '../sandbox/happenings/blank-secrets.ts';
import type { WithRequestRecords } from '../sandbox/happenings/request-records.ts';
import { accountOfFaulty } from './injected-faults.ts';
import { interfaceOf } from './interface-of.ts';

/** Larger bodies are not kept. */
const largestBody = 16_384;

export function registerSandboxRequests(
  app: FastifyInstance,
  env: Environment & WithRequestRecords,
  workOf: (request: FastifyRequest) => RequestWork | null,
): void {
  if (env.name !== 'sandbox') return;
  const records = env.requestRecords;
  const sent = new RequestSlot<string | Buffer>('sent');

  app.addHook('onSend', (request, _reply, payload, done) => {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (isText && payload.length <= largestBody && isKept(request)) sent.set(request, payload);
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    done();
    const accountId = workOf(request)?.caller?.accountId ?? accountOfFaulty(request);
    if (accountId === null || !isKept(request)) return;
    const { url, method } = request;
    const body = bodyBytes.get(request);
    const response = sent.get(request);
    const { statusCode: status, elapsedTime } = reply;
    const at = env.clock.now();
    // Under load most records are dropped before they are written: what it takes to make one is left until then.
    records.note(() => ({
      accountId,
      at,
      method,
      path: blankPath(url),
      status,
      durationMs: Math.round(elapsedTime),
      request: body === undefined || body.length > largestBody ? null : blankBody(body.toString()),
      response: response === undefined ? null : blankBody(response.toString()),
    }));
  });
  app.addHook('onClose', () => records.write().catch(() => undefined));
}

const isKept = (request: FastifyRequest): boolean => ['v3', 'api/v1'].includes(interfaceOf(request) ?? '');
