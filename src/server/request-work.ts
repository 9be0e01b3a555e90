/** Lets the database know which request a statement belongs to: for its share of connections, and when its client goes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type RequestWork, runAsWork } from '../db/work.ts';

export function registerRequestWork(app: FastifyInstance): void {
  const works = new WeakMap<FastifyRequest, RequestWork>();
  app.addHook('onRequest', (request, reply, done) => {
    // Moving the sandbox's clock runs everybody's jobs for as long as they take: no request's work in this sense.
    if (request.url.startsWith('/sandbox/')) return done();
    const work = workOf(request, reply);
    works.set(request, work);
    runAsWork(work, done);
  });
  // Reading a body goes through the events of its socket, which know nothing of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    const work = works.get(request);
    if (work === undefined) done();
    else runAsWork(work, done);
  });
}

function workOf(request: FastifyRequest, reply: FastifyReply): RequestWork {
  const gone = new AbortController();
  const work: RequestWork = {
    lane: request.url.startsWith('/api/v1') ? 'verification' : 'platform',
    signal: gone.signal,
    reads: request.method === 'GET' || request.method === 'HEAD',
    accountId: null,
    waitedMs: 0,
    ended: false,
  };
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
    work.ended = true;
  });
  return work;
}
