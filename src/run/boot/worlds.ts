/** How this process opens and serves the worlds of its sandbox. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { advertisedHost } from '../../business/b2bua/wires.ts';
import { prepareMonths } from '../../business/voice/months.ts';
import { startVoice } from '../../business/voice/voice.ts';
import type { Environment } from '../../engines/environment.ts';
import type { Worker } from '../../engines/jobs/worker.ts';
import { readOnlyStore } from '../../engines/objects/object-store.ts';
import { createHttpServer } from '../../interfaces/server/http-server.ts';
import { refusalFor, requestIdOf } from '../../interfaces/server/refusals.ts';
import { worldRooms } from '../../interfaces/server/rooms.ts';
import type { WholeEnvironment } from '../../interfaces/server/whole-environment.ts';
import { type Front, worldFront } from '../../interfaces/worlds/dispatch.ts';
import type { WantedSip, WorldOpener, WorldService } from '../../interfaces/worlds/open-worlds.ts';
import { worldPath } from '../../interfaces/worlds/world-path.ts';
import { Worlds } from '../../interfaces/worlds/worlds.ts';
import type { Config } from '../config/types.ts';
import { createStack } from './closing.ts';
import { openEnvironment } from './environment.ts';
import { sealedColumns } from './sealed-columns.ts';
import type { Shared } from './shared.ts';
import { openWorldSip, type SipService } from './sip.ts';
import { snapshotProgram } from './snapshot-program.ts';
import { taskHandlers } from './tasks.ts';
import { startWorkers } from './workers.ts';

export interface ServedWorlds {
  readonly worlds: Worlds;
  readonly front: Front;
}

/** The worlds of the sandbox; null if there are none. Each is worked on by the process that its requests come to. */
export function openWorlds(env: WholeEnvironment, shared: Shared): ServedWorlds | null {
  const { config } = shared;
  if (env.name !== 'sandbox' || !config.roles.has('api') || config.worlds.most === 0) return null;
  const hasSip = config.environments.sandbox.sip !== null && config.roles.has('voice');
  const limits = { ...config.worlds, mostSip: hasSip ? config.worlds.mostSip : 0 };
  const worlds = new Worlds(env, worldOpener(env, shared), limits, advertisedHost(config.sip));
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

function worldOpener(sandbox: WholeEnvironment, shared: Shared): WorldOpener {
  const { config } = shared;
  const small: Config = { ...config, databaseConnections: connections, accountConnections: connections - 1 };
  return {
    openEnvironment: async (id, url) => {
      const { env, close } = await openEnvironment('sandbox', {
        ...{ config: small, url, log: sandbox.log, serving: true },
        adapted: (asSandbox) => inWorld(id, asSandbox),
      });
      return {
        env,
        close,
        serve: (sip) => serveWorld(env, shared, sip),
        prepareTemplate: () => prepareMonths(env),
      };
    },
    sealed: sealedColumns,
    threadProgram: snapshotProgram,
  };
}

/**
 * Nobody gets e-mail from a world, whatever stands in its database. Tests do not wait, unless they set a time for their
 * account.
 */
function inWorld(id: string, env: Environment): Environment {
  const objects = env.objects === null ? null : readOnlyStore(env.objects);
  return { ...env, path: worldPath(id), objects, mailer: null, orderSeconds: 0 };
}

/** Its workers, its calls and its HTTP interfaces; requests come by way of the sandbox's server. */
async function serveWorld(
  env: WholeEnvironment,
  { config, media, turns }: Shared,
  wanted: WantedSip | null,
): Promise<WorldService> {
  const stack = createStack();
  try {
    let sip: SipService | null = null;
    stack.push(async () => sip?.stop());
    const voice = await startVoice(env);
    stack.push(() => voice.stop());
    sip = wanted === null ? null : await openWorldSip(env, config, media.ofWorld(), wanted.port);
    if (wanted !== null) sip?.endpoint.taps.add({ leg: wanted.used });
    const workers: Worker[] = [];
    stack.push(async () => void (await Promise.all(workers.map((worker) => worker.stop(jobPatienceMs)))));
    await startWorkers(env, workers);
    const app = await createHttpServer(env, {
      trustedProxies: config.trustedProxies,
      limits: config.requestLimits,
      turns,
      metricsNetworks: config.metricsNetworks,
      rooms: worldRooms(taskHandlers),
    });
    return {
      sipPort: sip?.ports?.udp ?? null,
      handle: (request, response) => void app.server.emit('request', request, response),
      stop: async () => {
        sip?.drain();
        await sip?.endCalls();
        await stack.unwind();
        await app.close();
      },
    };
  } catch (error) {
    await stack.unwind();
    throw error;
  }
}
