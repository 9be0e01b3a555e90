/**
 * Both environments of a start: their first databases, opening them, their first accounts, and running them side by
 * side.
 */
import type { Logger } from 'pino';
import { exists } from '../../base/files.ts';
import type { EnvironmentName } from '../../engines/environment.ts';
import { applyBootstrap } from '../../interfaces/bootstrap/apply.ts';
import { beginDemo, type Demo, demoFile, ensureDemo } from '../../interfaces/bootstrap/demo.ts';
import type { BootstrapSection } from '../../interfaces/bootstrap/parse.ts';
import { Turns } from '../../interfaces/server/turns.ts';
import type { Config } from '../config/types.ts';
import { type createStack, settleAll } from './closing.ts';
import type { Databases } from './databases.ts';
import { openEnvironment } from './environment.ts';
import type { Filler } from './filler.ts';
import { openMedia } from './media.ts';
import type { Addresses } from './ready-file.ts';
import { type Running, run } from './running.ts';

/**
 * Both environments begin with the same tables and the same demo catalogue, and filling them is most of a first start:
 * it is done once, and the second database is a copy of the first. Does nothing if there is a database or a demo
 * already. A start that is killed here is finished by the next one.
 */
export async function beginDemos(
  databases: Databases,
  names: EnvironmentName[],
  config: Config,
  filler: Filler,
): Promise<void> {
  for (const name of names) if (await exists(demoFile(name, config.dataDirectory))) return;
  await databases.beginAlike(async (url) => {
    for (const name of names) await beginDemo(name, config.dataDirectory);
    await filler.fill(url);
  });
}

interface Parts {
  config: Config;
  databases: Databases;
  log: Logger;
  bootstrap: Record<EnvironmentName, BootstrapSection> | null;
  wantsDemo: boolean;
  /** Gets what has to be closed, also if this fails. */
  stack: ReturnType<typeof createStack>;
}

interface RunningEnvironments {
  readonly addresses: Addresses;
  readonly demos: Partial<Record<EnvironmentName, Demo>>;
  /** Begins the work that no request waits for. */
  afterReady(): void;
  /** New calls are refused from now on; resolves when those that are up have ended, or when it is hurried. */
  drain(hurry: AbortSignal): Promise<void>;
}

export async function runEnvironments(names: EnvironmentName[], parts: Parts): Promise<RunningEnvironments> {
  const { config, databases, log, bootstrap, wantsDemo, stack } = parts;
  const opened = await settleAll(
    names.map(async (name) => {
      const url = await databases.url(name);
      const environment = await openEnvironment(name, { config, url, log, serving: true });
      stack.push(environment.close);
      return environment;
    }),
  );
  const media = await openMedia(config, log);
  stack.push(() => media.stop());
  const turns = new Turns({ waitingOfOne: config.requestsInFlight.perAccount });
  const running: Running[] = [];
  stack.push(() => stopAll(running));
  const started = await settleAll(
    opened.map(async ({ env }) => {
      if (bootstrap !== null) await applyBootstrap(env, bootstrap[env.name]);
      const demo = wantsDemo ? await ensureDemo(env, config.dataDirectory) : null;
      const environment = await run(env, { config, media, turns }, demo ?? undefined);
      running.push(environment);
      return { name: env.name, demo, environment };
    }),
  );
  return {
    addresses: Object.fromEntries(started.map(({ name, environment }) => [name, environment.address])),
    demos: Object.fromEntries(started.flatMap(({ name, demo }) => (demo === null ? [] : [[name, demo]]))),
    afterReady: () => {
      for (const environment of running) environment.afterReady();
    },
    drain: async (hurry) => {
      await Promise.all(running.map((environment) => environment.drain(hurry)));
    },
  };
}

/** Every port stops accepting before anything waits. */
async function stopAll(running: readonly Running[]): Promise<void> {
  for (const environment of running) environment.stopAccepting();
  await Promise.all(running.map((environment) => environment.stop()));
}
