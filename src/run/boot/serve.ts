/**
 * Serving: opens everything in order, and closes it in the opposite one. Most of the program is loaded while PostgreSQL
 * starts, so this file and what it imports stay small.
 */
import type { Logger } from 'pino';
import { exists } from '../../base/files.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { hasCluster, sharedRoot } from '../../engines/db/embedded/cluster.ts';
import { tidyClusters } from '../../engines/db/embedded/forsaken-clusters.ts';
import type { EnvironmentName } from '../../engines/environment.ts';
import type { Demo } from '../../interfaces/bootstrap/demo.ts';
import type { Config } from '../config/types.ts';
import { createStack } from './closing.ts';
import { openDatabases } from './databases.ts';
import { Filler } from './filler.ts';
import { requireFreePort } from './listen.ts';
import { type Addresses, removeReadyFile, removeStaleReadyFile, writeReadyFile } from './ready-file.ts';
import { StartingPages } from './starting-pages.ts';

interface Serving {
  readonly addresses: Addresses;
  readonly demos: Partial<Record<EnvironmentName, Demo>>;
  /** New calls are refused from now on; resolves when those that are up have ended, or when it is hurried. */
  drain(hurry: AbortSignal): Promise<void>;
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
  /** Aborted when the server is to stop; while it starts, that ends the start. */
  readonly stopping: AbortSignal;
}

export async function serve(config: Config, log: Logger, hooks: ServeHooks): Promise<Serving> {
  const order: EnvironmentName[] = ['production', 'sandbox'];
  const names = order.filter((name) => config.environments[name].port !== null);
  if (names.length === 0) throw new OperatorError('Both ports are off, so there is nothing to serve.');
  const { readyFile } = config;
  if (readyFile !== null) await removeStaleReadyFile(readyFile);
  const bootstrap = config.bootstrapFile === null ? null : await readBootstrap(config.bootstrapFile);
  for (const name of names) await requireFreePorts(name, config);
  await requireMedia(config);

  const wantsDemo = bootstrap === null && isEmbeddedOnly(config);
  if (wantsDemo && !(await exists(config.dataDirectory))) {
    hooks.say('First start: setting up the database and the demo catalogue. This takes some seconds, once.');
  }
  const { stopping } = hooks;
  /** What is still being opened when the start ends is closed below, or ends with the process. */
  const unlessStopped = <T>(work: Promise<T>) => Promise.race([work, abortOf(stopping)]);
  const filler = new Filler();
  if (wantsDemo && !(await hasCluster(config.dataDirectory))) filler.start();
  const stack = createStack();
  const waiting = new StartingPages(config, names);
  stack.push(() => waiting.close());
  try {
    const starting = Promise.withResolvers<void>();
    const opening = openDatabases(config, names, {
      mode: 'serve',
      onLost: hooks.onLost,
      onProgram: () => starting.resolve(),
      onRecovery: (progress) => {
        log.info({ progress }, 'the embedded database recovers');
        waiting.show(progress);
      },
      signal: stopping,
    });
    await Promise.race([starting.promise, opening]);
    const { beginDemos, runEnvironments } = await import('./environments.ts');
    const databases = await opening;
    await waiting.close();
    stack.push(() => databases.close());
    hooks.beforeEnd(databases.abandon);
    if (readyFile !== null) await removeReadyFile(readyFile);
    if (wantsDemo) await unlessStopped(beginDemos(databases, names, config, filler));
    filler.stop();
    const parts = { config, databases, log, bootstrap, wantsDemo, stack };
    const serving = await unlessStopped(runEnvironments(names, parts));
    if (readyFile !== null) {
      await writeReadyFile(readyFile, serving.addresses);
      stack.push(() => removeReadyFile(readyFile));
    }
    serving.afterReady();
    tidySharedClusters(log);
    return { ...serving, stop: stack.unwind };
  } catch (error) {
    await stack.unwind().catch((failure) => {
      // What was cut off is closed in the middle of its work.
      if (!stopping.aborted) throw failure;
    });
    throw stopping.aborted ? new StartStopped() : error;
  } finally {
    filler.stop();
  }
}

/** It was told to stop before it was ready. */
export class StartStopped extends Error {}

function abortOf(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  return promise;
}

async function readBootstrap(file: string) {
  const { readBootstrapFile } = await import('../../interfaces/bootstrap/parse.ts');
  return readBootstrapFile(file);
}

/** Asked before anything is made, so that a taken port or a bad certificate leaves no trace. */
async function requireFreePorts(name: EnvironmentName, config: Config): Promise<void> {
  const { port, operatorPort, sip } = config.environments[name];
  await requireFreePort(config.host, port ?? 0);
  if (typeof operatorPort === 'number') await requireFreePort(config.host, operatorPort);
  if (sip === null || !config.roles.has('voice') || (!sip.isChosen && sip.tlsPort === null)) return;
  const { requireFreeSipPorts } = await import('./sip-ports.ts');
  await requireFreeSipPorts(config.sip, sip);
}

async function requireMedia({ roles, sip, media, environments }: Config): Promise<void> {
  const isServed = roles.has('voice') && Object.values(environments).some((one) => one.sip !== null);
  if (!isServed || media.engine !== 'embedded' || !media.arePortsChosen || media.ports === null) return;
  const { requireMediaPorts } = await import('./media-ports.ts');
  await requireMediaPorts(sip, media, media.ports);
}

/** Not awaited, and after the start: clusters of others are no reason to be ready later. */
function tidySharedClusters(log: Logger): void {
  if (process.getuid?.() !== 0) return;
  tidyClusters(sharedRoot)
    .then((left) => {
      for (const cluster of left) log.warn(cluster, 'an embedded database is left of a data folder that is gone');
    })
    .catch((error) => log.warn({ err: error }, 'embedded databases of other data folders could not be looked at'));
}

/** An operator's own database never gets demo numbers by accident. */
function isEmbeddedOnly({ environments }: Config): boolean {
  return environments.production.databaseUrl === null && environments.sandbox.databaseUrl === null;
}
