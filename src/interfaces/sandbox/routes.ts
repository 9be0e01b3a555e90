/** The sandbox's control interface, `/sandbox/v1`, on the sandbox's port only. */
import type { IncomingMessage } from 'node:http';
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { readStorableJson, UnreadableJson } from '../../base/incoming-json.ts';
import { proven } from '../../base/request-slot.ts';
import { isUnusableValue } from '../../base/violated-constraint.ts';
import { createRequestAuthenticator } from '../../business/accounts/authenticate.ts';
import type { Caller } from '../../business/accounts/caller.ts';
import { isUnavailable, retryAfterSeconds } from '../../engines/db/unavailable.ts';
import type { TaskHandler } from '../../engines/jobs/handler.ts';
import type { Worlds } from '../worlds/worlds.ts';
import { requireUse, subjectOf } from './access.ts';
import type { ClockMovers } from './clock-movers.ts';
import { BadControlRequest, type Control, ControlError, controlRoutes, fileType, NotPossible } from './control.ts';
import { callsControl } from './control-calls.ts';
import { decisionsControl, messagesControl } from './control-counterparts.ts';
import { faultsControl } from './control-faults.ts';
import { happeningsControl } from './control-happenings.ts';
import { listenControl } from './control-listen.ts';
import { seedControl } from './control-seed.ts';
import { clockControl, ordersControl } from './control-time.ts';
import { worldsControl } from './control-worlds.ts';
import type { SandboxEnvironment } from './environment.ts';

/** Every subject of the interface. */
export const controlsWith = (
  handlers: readonly TaskHandler[],
  movers: ClockMovers,
  worlds: Worlds | null,
): readonly Control[] => [
  clockControl(handlers, movers),
  messagesControl,
  callsControl,
  decisionsControl,
  ordersControl,
  faultsControl,
  happeningsControl,
  listenControl,
  seedControl,
  ...(worlds === null ? [] : [worldsControl(worlds)]),
];

/** `handlers` run the jobs that become due during an advance of the clock. A world has no worlds of its own. */
export const sandboxRoom =
  (handlers: readonly TaskHandler[], movers: ClockMovers, worlds: Worlds | null = null) =>
  async (app: FastifyInstance, env: SandboxEnvironment): Promise<void> => {
    if (env.name !== 'sandbox') return;
    await app.register(async (scope) => registerControls(scope, env, controlsWith(handlers, movers, worlds)), {
      prefix: '/sandbox/v1',
    });
  };

function registerControls(app: FastifyInstance, env: SandboxEnvironment, controls: readonly Control[]): void {
  const authenticate = createRequestAuthenticator(env);
  const callers = new WeakMap<FastifyRequest, Caller>();

  // An empty body with a JSON content type is accepted: hanging up needs no body.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    body.length === 0 ? undefined : readBody(body),
  );
  // A file is read as it comes, by whoever takes it: how long it may be is decided there.
  app.addContentTypeParser(fileType, async (_request: FastifyRequest, body: IncomingMessage) => body);
  app.addHook('onRequest', async (request) => {
    const subject = subjectOf(request);
    const caller = authenticate.known(request) ?? (await authenticate(request, subject));
    if (caller === null) throw new ControlError('unauthorized');
    requireUse(caller, subject);
    proven.get(request)?.(caller.accountId);
    callers.set(request, caller);
  });
  app.setNotFoundHandler(({ url }) => {
    const isOfWorlds = /^\/sandbox\/v1\/(?:worlds|snapshots)(?:[/?]|$)/.test(url);
    throw new ControlError(env.path !== undefined && isOfWorlds ? 'in_a_world' : 'not_found');
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (isUnavailable(error)) {
      // A control request may be many transactions, so of a write nothing is promised.
      const outcome = request.method === 'GET' ? 'nothing_changed' : 'unknown';
      const body = { error: unavailableTexts[outcome], outcome };
      return reply.code(503).header('retry-after', String(retryAfterSeconds)).send(body);
    }
    if (isUnusableValue(error)) {
      request.log.error({ err: error }, 'request failed');
      return reply.code(400).send({ error: 'The request has a value that cannot be used.' });
    }
    const status = error.statusCode ?? 500;
    if (status >= 500) request.log.error({ err: error }, 'request failed');
    if (error instanceof NotPossible) reply.header('retry-after', String(retryAfterSeconds));
    const told = status < 500 || error instanceof ControlError || error instanceof NotPossible;
    const outcome = status === 503 && 'outcome' in error ? { outcome: error.outcome } : {};
    return reply.code(status).send({ error: told ? error.message : 'Internal server error', ...outcome });
  });

  const routes = controlRoutes(app, env, (request) => {
    const caller = callers.get(request);
    if (caller === undefined) throw new ControlError('unauthorized');
    return caller;
  });
  for (const control of controls) control(routes, env);
}

const unavailableTexts = {
  nothing_changed: 'Try again in a moment.',
  unknown: 'The database is busy, and it is not known whether the request was carried out. Look before you repeat it.',
};

function readBody(bytes: Buffer): unknown {
  try {
    return readStorableJson(bytes);
  } catch (error) {
    throw error instanceof UnreadableJson ? new BadControlRequest(error.message, 400) : error;
  }
}
