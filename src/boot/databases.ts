/** Where the databases of the environments are: outside, as the operator says, or in the embedded server. */
import type { Config } from '../config.ts';
import { type EmbeddedServer, openEmbeddedServer } from '../db/embedded.ts';
import type { EnvironmentName } from '../environment.ts';
import { prepareDataDirectory } from './data-directory.ts';

export interface Databases {
  url(name: EnvironmentName): Promise<string>;
  close(): Promise<void>;
  /** For a forced end: tells the embedded server to stop and does not wait. */
  abandon(): void;
}

export interface DatabasesOptions {
  serving: boolean;
  onLost?: (error: Error) => void;
}

/** The embedded server is started only when one of the environments asked for lives in it. */
export async function openDatabases(
  config: Config,
  names: readonly EnvironmentName[],
  options: DatabasesOptions,
): Promise<Databases> {
  const embedded = names.some((name) => config.environments[name].databaseUrl === null)
    ? await openEmbedded(config, options)
    : null;
  return {
    url: async (name) => {
      const outside = config.environments[name].databaseUrl;
      if (outside !== null) return outside;
      if (embedded === null) throw new Error(`no database was opened for ${name}`);
      const database = `trunkline_${name}`;
      await embedded.createDatabase(database);
      return embedded.url(database);
    },
    close: async () => embedded?.close(),
    abandon: () => embedded?.abandon(),
  };
}

async function openEmbedded(config: Config, options: DatabasesOptions): Promise<EmbeddedServer> {
  await prepareDataDirectory(config.dataDirectory);
  return openEmbeddedServer({ dataDirectory: config.dataDirectory, ...options });
}
