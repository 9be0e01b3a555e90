/** Serving: opens everything in order, and closes it in the opposite one. */
import type { Logger } from 'pino';
import { applyBootstrap } from '../bootstrap/apply.ts';
import { type Demo, ensureDemo } from '../bootstrap/demo.ts';
import { readBootstrapFile } from '../bootstrap/parse.ts';
import type { Config } from '../config/types.ts';
import { sharedRoot } from '../db/embedded/cluster.ts';
import { tidyClusters } from '../db/embedded/forsaken-clusters.ts';
import type { EnvironmentName } from '../environment.ts';
import { exists } from '../files.ts';
import { OperatorError } from '../operator-error.ts';
import { createStack, settleAll } from './closing.ts';
import { openDatabases } from './databases.ts';
import { type OpenEnvironment, openEnvironment } from './environment.ts';
import { beginDemos } from './first-databases.ts';
import { requireFreePort } from './listen.ts';
import { type Addresses, removeReadyFile, removeStaleReadyFile, writeReadyFile } from './ready-file.ts';
import { type Running, run } from './running.ts';
import { requireFreeSipPorts } from './sip.ts';

interface Serving {
  readonly addresses: Addresses;
  readonly demos: Partial<Record<EnvironmentName, Demo>>;
  /** Requests and jobs in flight finish; then everything is closed. */
  stop(): Promise<void>;
}

interface ServeHooks {
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
  for (const name of names) {
    const { port, operatorPort } = config.environments[name];
    await requireFreePort(config.host, port ?? 0);
    if (typeof operatorPort === 'number') await requireFreePort(config.host, operatorPort);
    await requireFreeSipPorts(name, config);
  }

  const wantsDemo = bootstrap === null && isEmbeddedOnly(config);
  if (wantsDemo && !(await exists(config.dataDirectory))) {
    hooks.say('First start: setting up the database and the demo catalogue. This takes some seconds, once.');
  }
  const stack = createStack();
  try {
    const databases = await openDatabases(config, names, { mode: 'serve', onLost: hooks.onLost });
    stack.push(() => databases.close());
    hooks.beforeEnd(databases.abandon);
    tidySharedClusters(log);
    if (readyFile !== null) await removeReadyFile(readyFile);
    if (wantsDemo) await beginDemos(databases, names, config);
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
    const running: Running[] = [];
    stack.push(() => stopAll(running));
    for (const { env } of opened) {
      const environment = await run(env, config, demos[env.name]);
      running.push(environment);
      addresses[env.name] = environment.address;
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

/** Not awaited: clusters of others are no reason to start later. */
function tidySharedClusters(log: Logger): void {
  if (process.getuid?.() !== 0) return;
  tidyClusters(sharedRoot)
    .then((left) => {
      for (const cluster of left) log.warn(cluster, 'an embedded database is left of a data folder that is gone');
    })
    .catch((error) => log.warn({ err: error }, 'embedded databases of other data folders could not be looked at'));
}

/** Every port stops accepting before anything waits. */
async function stopAll(running: readonly Running[]): Promise<void> {
  for (const environment of running) environment.stopAccepting();
  await Promise.all(running.map((environment) => environment.stop()));
}

/** An operator's own database never gets demo numbers by accident. */
function isEmbeddedOnly({ environments }: Config): boolean {
  return environments.production.databaseUrl === null && environments.sandbox.databaseUrl === null;
}

async function addDemo(env: OpenEnvironment['env'], config: Config, demos: Serving['demos']): Promise<void> {
  const demo = await ensureDemo(env, config.dataDirectory);
  if (demo !== null) demos[env.name] = demo;
}
