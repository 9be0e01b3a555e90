/** The sandbox's control interface, `/sandbox/v1`, on the sandbox's port only. */
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { createRequestAuthenticator } from '../accounts/authenticate.ts';
import type { Caller } from '../accounts/caller.ts';
import { mayUse } from '../accounts/key-scopes.ts';
import type { ClockMovers } from '../config/types.ts';
import { isUnavailable, retryAfterSeconds } from '../db/unavailable.ts';
import type { Environment } from '../environment.ts';
import { readStorableJson, UnreadableJson } from '../incoming-json.ts';
import type { TaskHandler } from '../jobs/handler.ts';
import type { Worlds } from '../worlds/worlds.ts';
import { BadControlRequest, type Control, ControlError, controlRoutes, fileType, NotPossible } from './control.ts';
import { callsControl } from './control-calls.ts';
import { decisionsControl, messagesControl } from './control-counterparts.ts';
import { faultsControl } from './control-faults.ts';
import { happeningsControl } from './control-happenings.ts';
import { seedControl } from './control-seed.ts';
import { clockControl, ordersControl } from './control-time.ts';
import { worldsControl } from './control-worlds.ts';

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
  seedControl,
  ...(worlds === null ? [] : [worldsControl(worlds)]),
];

/** `handlers` run the jobs that become due during an advance of the clock. A world has no worlds of its own. */
export const sandboxRoom =
  (handlers: readonly TaskHandler[], movers: ClockMovers, worlds: Worlds | null = null) =>
  async (app: FastifyInstance, env: Environment): Promise<void> => {
    if (env.name !== 'sandbox') return;
    await app.register(async (scope) => registerControls(scope, env, controlsWith(handlers, movers, worlds)), {
      prefix: '/sandbox/v1',
    });
  };

/** A snapshot of the demo catalogue takes about three megabytes. */
const largestFile = 64 * 1024 * 1024;

function registerControls(app: FastifyInstance, env: Environment, controls: readonly Control[]): void {
  const authenticate = createRequestAuthenticator(env);
  const callers = new WeakMap<FastifyRequest, Caller>();

  // An empty body with a JSON content type is accepted: hanging up needs no body.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    body.length === 0 ? undefined : readBody(body),
  );
  const asFile = { parseAs: 'buffer', bodyLimit: largestFile } as const;
  app.addContentTypeParser(fileType, asFile, async (_request: FastifyRequest, body: Buffer) => body);
  app.addHook('onRequest', async (request) => {
    const caller = authenticate.known(request) ?? (await authenticate(request));
    if (caller === null) throw new ControlError('unauthorized');
    if (!mayUse(caller, 'sandbox', request.method)) throw new ControlError('out_of_scope');
    callers.set(request, caller);
  });
  app.setNotFoundHandler(({ url }) => {
    const isOfWorlds = /^\/sandbox\/v1\/(?:worlds|snapshots)(?:[/?]|$)/.test(url);
    throw new ControlError(env.path !== undefined && isOfWorlds ? 'in_a_world' : 'not_found');
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (isUnavailable(error)) {
      return reply.code(503).header('retry-after', String(retryAfterSeconds)).send({ error: 'Try again in a moment.' });
    }
    const status = error.statusCode ?? 500;
    if (status >= 500) request.log.error({ err: error }, 'request failed');
    const told = status < 500 || error instanceof ControlError || error instanceof NotPossible;
    return reply.code(status).send({ error: told ? error.message : 'Internal server error' });
  });

  const routes = controlRoutes(app, env, (request) => {
    const caller = callers.get(request);
    if (caller === undefined) throw new ControlError('unauthorized');
    return caller;
  });
  for (const control of controls) control(routes, env);
}

function readBody(bytes: Buffer): unknown {
  try {
    return readStorableJson(bytes);
  } catch (error) {
    throw error instanceof UnreadableJson ? new BadControlRequest(error.message, 400) : error;
  }
}
