/** Serving: opens everything in order, and closes it in the opposite one. */
import type { Logger } from 'pino';
import { applyBootstrap } from '../bootstrap/apply.ts';
import { type Demo, ensureDemo } from '../bootstrap/demo.ts';
import { readBootstrapFile } from '../bootstrap/parse.ts';
import { clockMovers } from '../config/clock-movers.ts';
import type { Config } from '../config.ts';
import type { Environment, EnvironmentName } from '../environment.ts';
import { exists } from '../files.ts';
import { startOutgoingWorker } from '../jobs/outgoing-worker.ts';
import { isOutward } from '../jobs/task.ts';
import { startWorker, type Worker } from '../jobs/worker.ts';
import { OperatorError } from '../operator-error.ts';
import { prepareKeys } from '../platform/regulation/files/prepare-keys.ts';
import { createHttpServer } from '../server/http-server.ts';
import { roomsWith } from '../server/rooms.ts';
import { startVoice } from '../voice/start.ts';
import { closeHttpServer } from './close-http.ts';
import { openDatabases } from './databases.ts';
import { type OpenEnvironment, openEnvironment } from './environment.ts';
import { listen, requireFreePort } from './listen.ts';
import { type Addresses, removeReadyFile, removeStaleReadyFile, writeReadyFile } from './ready-file.ts';
import { createStack, settleAll } from './stack.ts';
import { taskHandlers } from './tasks.ts';

export interface Serving {
  readonly addresses: Addresses;
  readonly demos: Partial<Record<EnvironmentName, Demo>>;
  /** Requests and jobs in flight finish; then everything is closed. */
  stop(): Promise<void>;
}

export interface ServeHooks {
  /** The embedded database is gone and could not be brought back. */
  onLost(error: Error): void;
  /** Tells a person who waits what takes so long. */
  say(line: string): void;
  /** What is left to do when a person does not want to wait, not even for the start. */
  beforeEnd(run: () => void): void;
}

export async function serve(config: Config, log: Logger, hooks: ServeHooks): Promise<Serving> {
  const order: EnvironmentName[] = ['production', 'sandbox'];
  const names = order.filter((name) => config.environments[name].port !== null);
  if (names.length === 0) throw new OperatorError('Both ports are off, so there is nothing to serve.');
  const { readyFile } = config;
  if (readyFile !== null) await removeStaleReadyFile(readyFile);
  const bootstrap = config.bootstrapFile === null ? null : await readBootstrapFile(config.bootstrapFile);
  const isApi = config.roles.has('api');
  if (isApi) for (const name of names) await requireFreePort(config.host, config.environments[name].port ?? 0);

  const wantsDemo = bootstrap === null && isEmbeddedOnly(config);
  if (wantsDemo && !(await exists(config.dataDirectory))) {
    hooks.say('First start: setting up the database and the demo catalogue. This takes some seconds, once.');
  }
  const stack = createStack();
  try {
    const databases = await openDatabases(config, names, { mode: 'serve', onLost: hooks.onLost });
    stack.push(() => databases.close());
    hooks.beforeEnd(databases.abandon);
    if (readyFile !== null) await removeReadyFile(readyFile);
    const opened = await settleAll(
      names.map(async (name) => {
        const url = await databases.url(name);
        const environment = await openEnvironment(name, { config, url, log, serving: true });
        stack.push(environment.close);
        return environment;
      }),
    );

    const demos: Serving['demos'] = {};
    if (bootstrap !== null) await settleAll(opened.map(({ env }) => applyBootstrap(env, bootstrap[env.name])));
    else if (wantsDemo) await settleAll(opened.map(({ env }) => addDemo(env, config, demos)));

    const addresses: Addresses = {};
    for (const { env } of opened) {
      if (config.roles.has('worker')) {
        for (const worker of await startWorkers(env)) stack.push(() => worker.stop());
        const voice = await startVoice(env);
        stack.push(() => voice.stop());
      }
      if (!isApi) continue;
      const app = await createHttpServer(env, {
        trustedProxies: config.trustedProxies,
        limits: config.requestLimits,
        rooms: roomsWith(taskHandlers, clockMovers(config)),
      });
      stack.push(() => closeHttpServer(app));
      const callOff = prepareKeys(env);
      stack.push(async () => callOff());
      addresses[env.name] = await listen(app, config.host, config.environments[env.name].port ?? 0);
    }
    if (readyFile !== null) {
      await writeReadyFile(readyFile, addresses);
      stack.push(() => removeReadyFile(readyFile));
    }
    return { addresses, demos, stop: stack.unwind };
  } catch (error) {
    await stack.unwind();
    throw error;
  }
}

/** Codes that wait for a provider have a worker of their own, which no callback can fill. */
async function startWorkers(env: Environment): Promise<Worker[]> {
  const [outward, inward] = divide(taskHandlers, ({ task }) => isOutward(task, env.name));
  const [codes, others] = divide(outward, ({ task }) => task.priority === 'codes');
  return [
    await startWorker(env, { handlers: inward, inBatches: true }),
    await startOutgoingWorker(env, { handlers: codes }),
    await startOutgoingWorker(env, { handlers: others }),
  ];
}

function divide<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}

/** An operator's own database never gets demo numbers by accident. */
function isEmbeddedOnly({ environments }: Config): boolean {
  return environments.production.databaseUrl === null && environments.sandbox.databaseUrl === null;
}

async function addDemo(env: OpenEnvironment['env'], config: Config, demos: Serving['demos']): Promise<void> {
  const demo = await ensureDemo(env, config.dataDirectory);
  if (demo !== null) demos[env.name] = demo;
}
