/** Records the requests of clients to a sandbox, so that a test can see what its program sent and got. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestWork } from '../db/work.ts';
import type { Environment } from '../environment.ts';
import { RequestSlot } from '../request-slot.ts';
import { blankBody, blankPath } from '../sandbox/happenings/blank-secrets.ts';
import { requestRecordsOf } from '../sandbox/happenings/request-records.ts';
import { accountOfFaulty } from './injected-faults.ts';

/** Larger bodies are not kept. */
const largestBody = 16_384;

export function registerSandboxRequests(
  app: FastifyInstance,
  env: Environment,
  workOf: (request: FastifyRequest) => RequestWork | null,
): void {
  if (env.name !== 'sandbox') return;
  const records = requestRecordsOf(env);
  const heard = new RequestSlot<Heard>('heard');

  app.addHook('onRequest', (request, _reply, done) => {
    if (isKept.test(request.url))
      heard.set(request, { body: hasBody(request.raw) ? overhear(request.raw) : null, sent: null });
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    const exchange = heard.get(request);
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (exchange !== undefined && isText && payload.length <= largestBody) exchange.sent = payload;
    done(null, payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    done();
    const exchange = heard.get(request);
    const accountId = workOf(request)?.caller?.accountId ?? accountOfFaulty(request);
    if (accountId === null || exchange === undefined) return;
    const { url, method } = request;
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
      request: blankBody(exchange.body?.() ?? ''),
      response: blankBody(exchange.sent?.toString() ?? ''),
    }));
  });
  app.addHook('onClose', () => records.write().catch(() => undefined));
}

const isKept = /^\/(?:v3|api\/v1)(?:[/?]|$)/;

/** The bodies of a request and its response, unless they are too large or streams. */
interface Heard {
  body: (() => string) | null;
  sent: string | Buffer | null;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/**
 * Copies a request's body as its room reads it. A listener of our own would make the body flow before the room listens, so
 * the events are overheard instead.
 */
function overhear(request: IncomingMessage): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  const emit = request.emit.bind(request);
  request.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    const [chunk] = args;
    if (event === 'data' && Buffer.isBuffer(chunk)) {
      size += chunk.length;
      if (size <= largestBody) chunks.push(chunk);
    }
    return emit(event, ...args);
  };
  return () => (size > largestBody ? '' : Buffer.concat(chunks).toString('utf8'));
}
