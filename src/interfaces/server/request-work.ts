/**
 * Lets the database know which request a statement belongs to: for its share of connections, and when its client goes.
 * Takes a place among the requests in flight for each.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { proven, RequestSlot } from '../../base/request-slot.ts';
import { Changes } from '../../engines/db/made-changes.ts';
import { ClientPresence, type Lane, type RequestWork, runAsWork } from '../../engines/db/work.ts';
import type { InFlight, Place } from './in-flight.ts';
import { interfaceOf } from './interface-of.ts';
import { callerOf, laneOfInterface, overloadRefusal, turnOf } from './overload.ts';

/** Returns what is known of the work of a request. */
export function registerRequestWork(
  app: FastifyInstance,
  inFlight: InFlight,
): (request: FastifyRequest) => RequestWork | null {
  const works = new RequestSlot<RequestWork>('work');
  app.addHook('onRequest', (request, reply, done) => {
    const turn = turnOf.get(request.raw);
    if (turn !== undefined) proven.set(request, (name) => turn.belongsTo(name));
    // Moving the sandbox's clock runs the jobs of all accounts, for as long as they take; it is not limited.
    const name = interfaceOf(request);
    if (name === 'sandbox/v1') return done();
    const lane = laneOfInterface(name);
    const place = lane === null ? null : inFlight.enter(lane, () => callerOf(request.raw));
    // Requests that came in the same moment as this one have taken the last places.
    if (lane !== null && place === null) {
      const { headers, body } = overloadRefusal(request.raw);
      reply.code(503).headers(headers).send(body);
      return;
    }
    const work = workOf(request, reply, lane === 'verification' ? lane : 'platform', place);
    works.set(request, work);
    runAsWork(work, done);
  });
  // Reading a body continues in events of the socket, outside the request's async context: enter it again.
  app.addHook('preValidation', (request, _reply, done) => {
    const work = works.get(request);
    if (work === undefined) done();
    else runAsWork(work, done);
  });
  // What finds out who asks changes nothing that the request is about.
  app.addHook('preHandler', (request, _reply, done) => {
    const work = works.get(request);
    if (work?.reads === false) work.changes = new Changes();
    done();
  });
  return (request) => works.get(request) ?? null;
}

function workOf(request: FastifyRequest, reply: FastifyReply, lane: Lane, place: Place | null): RequestWork {
  const client = new ClientPresence();
  const work: RequestWork = {
    lane,
    client,
    reads: request.method === 'GET' || request.method === 'HEAD',
    accountId: null,
    ...(place ? { chargeTo: place.chargeTo } : {}),
    proven: (name) => proven.get(request)?.(name),
    waitedMs: 0,
    ended: false,
  };
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) client.leave();
    work.ended = true;
    place?.leave();
  });
  return work;
}
