/** How this process opens and serves the worlds of its sandbox. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Config } from '../config/types.ts';
import type { Environment } from '../environment.ts';
import type { Worker } from '../jobs/worker.ts';
import { readOnlyStore } from '../objects/object-store.ts';
import { createHttpServer } from '../server/http-server.ts';
import { refusalFor, requestIdOf } from '../server/refusals.ts';
import { worldRooms } from '../server/rooms.ts';
import { rehashCodes } from '../verification/rehash-codes.ts';
import { startVoice } from '../voice/voice.ts';
import { type Front, worldFront } from '../worlds/dispatch.ts';
import type { WorldOpener } from '../worlds/open-worlds.ts';
import { worldPath } from '../worlds/world-path.ts';
import { Worlds } from '../worlds/worlds.ts';
import { openEnvironment } from './environment.ts';
import { resealEverything } from './reseal.ts';
import { taskHandlers } from './tasks.ts';
import { startWorkers } from './workers.ts';

export interface ServedWorlds {
  readonly worlds: Worlds;
  readonly front: Front;
}

/** The worlds of the sandbox; null if there are none. Each is worked on by the process that its requests come to. */
export function openWorlds(env: Environment, config: Config): ServedWorlds | null {
  if (env.name !== 'sandbox' || !config.roles.has('api') || config.worlds.most === 0) return null;
  const worlds = new Worlds(env, worldOpener(env, config), config.worlds);
  const front = worldFront(worlds, {
    refuse: (request, response) => respond(request, response, 404),
    fail: (request, response, error) => {
      env.log.error({ err: error }, 'a world could not be opened');
      respond(request, response, 503);
    },
  });
  return { worlds, front };
}

function respond(request: IncomingMessage, response: ServerResponse, status: 404 | 503): void {
  if (response.headersSent || response.destroyed) return;
  const { headers, body } = refusalFor(request.url ?? null, status, request.headers.origin);
  response.writeHead(status, { ...headers, 'x-request-id': requestIdOf(request) });
  response.end(body);
}

/** A world has a small pool: what one test suite needs at a time. */
const connections = 5;
/** A world that ends does not wait for long; its data is gone with it. */
const jobPatienceMs = 1_000;

function worldOpener(sandbox: Environment, config: Config): WorldOpener {
  const small: Config = { ...config, databaseConnections: connections, accountConnections: connections - 1 };
  return {
    openEnvironment: async (id, url) => {
      const opened = await openEnvironment('sandbox', { config: small, url, log: sandbox.log, serving: true });
      const objects = opened.env.objects === null ? null : readOnlyStore(opened.env.objects);
      return { env: { ...opened.env, path: worldPath(id), objects }, close: opened.close };
    },
    reseal: async (env, serverKey) => {
      const rekeyed = { ...env, serverKey };
      await resealEverything(rekeyed, () => undefined);
      await rehashCodes(rekeyed);
    },
    serve: async (_id, env) => {
      const workers: Worker[] = [];
      await startWorkers(env, workers);
      const voice = await startVoice(env);
      const app = await createHttpServer(env, {
        trustedProxies: config.trustedProxies,
        limits: config.requestLimits,
        rooms: worldRooms(taskHandlers),
      });
      return {
        handle: (request, response) => void app.server.emit('request', request, response),
        stop: async () => {
          await Promise.all(workers.map((worker) => worker.stop(jobPatienceMs)));
          await voice.stop();
          await app.close();
        },
      };
    },
  };
}
