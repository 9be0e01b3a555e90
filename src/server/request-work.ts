/**
 * Lets the database know which request a statement belongs to: for its share of connections, and when its client goes.
 * Refuses requests that come while too many are under way.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { InFlight, Place } from '../db/in-flight.ts';
import { retryAfterSeconds } from '../db/unavailable.ts';
import { type Lane, type RequestWork, runAsWork } from '../db/work.ts';
import { refusalFor } from './refusals.ts';

export function registerRequestWork(app: FastifyInstance, inFlight: InFlight): void {
  const works = new WeakMap<FastifyRequest, RequestWork>();
  app.addHook('onRequest', (request, reply, done) => {
    // Moving the sandbox's clock runs everybody's jobs for as long as they take: no request's work in this sense.
    if (request.url.startsWith('/sandbox/')) return done();
    const lane = request.url.startsWith('/api/v1') ? 'verification' : 'platform';
    // Health, metrics and documentation are served in any case.
    const isCounted = lane === 'verification' || request.url.startsWith('/v3');
    const place = isCounted ? inFlight.enter(lane) : null;
    if (isCounted && place === null) return refuse(request, reply);
    const work = workOf(request, reply, lane, place);
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

function refuse({ url, headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
  const refusal = refusalFor(url, 503, origin);
  reply.code(503).headers(refusal.headers).header('retry-after', String(retryAfterSeconds)).send(refusal.body);
}

function workOf(request: FastifyRequest, reply: FastifyReply, lane: Lane, place: Place | null): RequestWork {
  const gone = new AbortController();
  const work: RequestWork = {
    lane,
    signal: gone.signal,
    reads: request.method === 'GET' || request.method === 'HEAD',
    accountId: null,
    ...(place ? { chargeTo: place.chargeTo } : {}),
    waitedMs: 0,
    ended: false,
  };
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
    work.ended = true;
    place?.leave();
  });
  return work;
}
