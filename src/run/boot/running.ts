/** What runs in one environment of this process: workers, voice and the HTTP server, as its roles say. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { startVoice, stopVoice, type VoiceService } from '../../business/voice/voice.ts';
import type { Worker } from '../../engines/jobs/worker.ts';
import type { Demo } from '../../interfaces/bootstrap/demo.ts';
import { planBills } from '../../interfaces/operator/money/bill-schedule.ts';
import { planVerification } from '../../interfaces/operator/money/verify-books.ts';
import { webFiles } from '../../interfaces/panel/web-files.ts';
import { prepareKeys } from '../../interfaces/platform/identities/key-pairs.ts';
import { createHttpServer } from '../../interfaces/server/http-server.ts';
import { operatorRooms, roomsWith } from '../../interfaces/server/rooms.ts';
import type { WholeEnvironment } from '../../interfaces/server/whole-environment.ts';
import type { Worlds } from '../../interfaces/worlds/worlds.ts';
import { clockMovers } from '../config/reach.ts';
import { within } from './closing.ts';
import { demoAccessOf } from './demo.ts';
import { openDemoRecords } from './demo-records.ts';
import { finishRequests, listen, stopAccepting } from './listen.ts';
import type { Address } from './ready-file.ts';
import type { Shared } from './shared.ts';
import { openSip, type SipService } from './sip.ts';
import { taskHandlers } from './tasks.ts';
import { startWorkers } from './workers.ts';
import { openWorlds } from './worlds.ts';

export interface Running {
  /** Where its HTTP servers listen. */
  readonly address: Address;
  /** Begins the work that no request waits for. */
  afterReady(): void;
  /** New calls are refused from now on; resolves when those that are up have ended, or when it is hurried. */
  drain(hurry: AbortSignal): Promise<void>;
  /** No new connection from now on; everything else goes on. */
  stopAccepting(): void;
  /** Requests and jobs in flight finish, the calls of this process end; what hangs is cut off. Never fails. */
  stop(): Promise<void>;
}

/** Together with closing connections and the database these stay below the 20 s that a stop may take. */
const patience = { requestsMs: 10_000, abortJobsMs: 10_000, callsMs: 4_000 };

/** How often it is looked whether the last call has ended. */
const lookMs = 100;

export async function run(env: WholeEnvironment, shared: Shared, demo?: Demo): Promise<Running> {
  const { config, media, turns } = shared;
  const isApi = config.roles.has('api');
  const workers: Worker[] = [];
  const opened: {
    apps: FastifyInstance[];
    voice?: VoiceService;
    sip?: SipService | null;
    worlds?: Worlds | undefined;
  } = {
    apps: [],
  };
  const stopping = new AbortController();
  let isDraining = false;

  async function drain(hurry: AbortSignal): Promise<void> {
    const { sip } = opened;
    if (!sip) return;
    isDraining = true;
    sip.drain();
    if (sip.calls > 0) env.log.info({ calls: sip.calls }, 'waiting for calls to end');
    while (sip.calls > 0 && !hurry.aborted) await sleep(lookMs, undefined, { signal: hurry }).catch(() => undefined);
    if (sip.calls > 0) env.log.warn({ calls: sip.calls }, 'calls that are still up are ended');
  }

  async function stop(): Promise<void> {
    const { apps } = opened;
    stopping.abort();
    apps.forEach(stopAccepting);
    opened.sip?.drain();
    const jobs = Promise.all(workers.map((worker) => worker.stop(patience.abortJobsMs)));
    // Calls can be made by requests, so they end after the last of those.
    const requests = Promise.all(apps.map((app) => finishRequests(app, patience.requestsMs)));
    const calls = attempt(requests, 'the HTTP server').then(async () => {
      await attempt(opened.sip?.endCalls() ?? Promise.resolve(), 'SIP');
      await attempt(within(patience.callsMs, opened.voice?.stop() ?? stopVoice(env)), 'the calls');
    });
    await Promise.all([attempt(jobs, 'the workers'), calls]);
    await attempt(opened.worlds?.stop() ?? Promise.resolve(), 'the worlds');
    await attempt(opened.sip?.stop() ?? Promise.resolve(), 'SIP');
    // WebSockets end with SIP: the last words of calls go over them.
    await attempt(Promise.all(apps.map((app) => app.close())), 'the HTTP server');
  }
  function quiesce(): void {
    opened.apps.forEach(stopAccepting);
    opened.sip?.drain();
  }
  /**
   * The operator's port has the other interfaces too, since an operator can act as a customer in the panel. The public
   * URL is that of the environment's port, so links of this one have its own address.
   */
  async function serveOperator(port: number): Promise<string> {
    const { trustedProxies, requestLimits: limits } = config;
    const operatorApp = await createHttpServer(
      { ...env, publicUrl: null, beside: null },
      {
        trustedProxies,
        limits,
        turns,
        requestLogDays: config.requestLogDays,
        metricsNetworks: config.metricsNetworks,
        sipOrigins: config.sipOrigins,
        rooms: [...roomsWith(taskHandlers, clockMovers(config)), ...operatorRooms],
      },
    );
    opened.apps.push(operatorApp);
    return listen(operatorApp, config.host, port);
  }
  const attempt = (work: Promise<unknown>, what: string) =>
    work.catch((error) => env.log.warn({ err: error }, `${what} could not be stopped cleanly`));

  try {
    // Made while everything else is opened: they are there when the server says that it is ready.
    const keysMade = isApi ? prepareKeys(env, config.fileKeyBits) : null;
    const isWorker = config.roles.has('worker');
    if (isWorker) opened.voice = await startVoice(env);
    opened.sip = await openSip(env, config, media.of(env.name));
    if (isWorker) {
      // After SIP: a code that waits to be spoken is taken at once.
      await startWorkers(env, workers);
      // In the sandbox no money is real, and its clock may run through years in a moment.
      if (env.name === 'production') await planVerification(env);
      await planBills(env);
    }
    const served = openWorlds(env, shared);
    opened.worlds = served?.worlds;
    const access = isApi ? await demoAccessOf(demo, env, config) : null;
    const recordsMade = Promise.withResolvers<void>();
    // A process without the role api has its pages for health and metrics all the same.
    const { port, operatorPort } = config.environments[env.name];
    const isShared = operatorPort === 'shared';
    const app = await createHttpServer(env, {
      trustedProxies: config.trustedProxies,
      limits: config.requestLimits,
      inFlight: config.requestsInFlight,
      turns,
      requestLogDays: config.requestLogDays,
      metricsNetworks: config.metricsNetworks,
      sipOrigins: config.sipOrigins,
      ...(served === null ? {} : { front: served.front }),
      rooms: isApi
        ? [
            ...roomsWith(
              taskHandlers,
              clockMovers(config),
              access && { ...access, recordsMade: recordsMade.promise },
              { operators: isShared },
              served?.worlds,
            ),
            ...(isShared ? operatorRooms : []),
          ]
        : [],
      watched: {
        folders: { data: config.dataDirectory },
        certificates: config.certificates,
        callsToWaitFor: () => (isDraining ? (opened.sip?.calls ?? 0) : null),
        ...(workers.length > 0 ? { areWorkersAlive: () => workers.every((worker) => worker.isAlive()) } : {}),
      },
    });
    opened.apps.push(app);
    const records = isApi ? await openDemoRecords(env, app, demo, access, stopping.signal) : null;
    await records?.addFirst();
    const url = await listen(app, config.host, port ?? 0);
    const operatorUrl = isApi && typeof operatorPort === 'number' ? await serveOperator(operatorPort) : null;
    await keysMade;
    const sip = opened.sip?.ports ?? null;
    const address = { url, operatorUrl: isApi && isShared ? url : operatorUrl, sip };
    const afterReady = () => {
      // The panel's pages may have to be built.
      if (isApi) webFiles().catch((error) => env.log.error({ err: error }, 'the panel has no pages'));
      served?.worlds.start();
      Promise.resolve(records?.addOthers()).finally(recordsMade.resolve);
    };
    return { address, afterReady, drain, stopAccepting: quiesce, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
