/** Records the requests of clients to a sandbox, so that a test can see what its program sent and got. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestWork } from '../db/work.ts';
import type { Environment } from '../environment.ts';
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
  const responses = new WeakMap<FastifyRequest, string>();
  const isKept = ({ url }: FastifyRequest) => /^\/(?:v3|api\/v1)(?:[/?]|$)/.test(url);

  const bodies = new WeakMap<FastifyRequest, () => string>();

  app.addHook('onRequest', async (request) => {
    if (isKept(request)) bodies.set(request, overhear(request.raw));
  });
  app.addHook('onSend', async (request, _reply, payload) => {
    if (isKept(request)) responses.set(request, textOf(payload));
    return payload;
  });
  app.addHook('onResponse', async (request, reply) => {
    const accountId = workOf(request)?.caller?.accountId ?? accountOfFaulty(request);
    if (accountId === null || !isKept(request)) return;
    records.note({
      accountId,
      at: env.clock.now(),
      method: request.method,
      path: blankPath(request.url),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
      request: blankBody(bodies.get(request)?.() ?? ''),
      response: blankBody(responses.get(request) ?? ''),
    });
  });
  app.addHook('onClose', () => records.write().catch(() => undefined));
}

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

/** Streams are not kept. */
function textOf(payload: unknown): string {
  if (typeof payload === 'string') return payload.length > largestBody ? '' : payload;
  if (Buffer.isBuffer(payload)) return payload.length > largestBody ? '' : payload.toString('utf8');
  return '';
}
