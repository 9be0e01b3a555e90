/** Where the databases of the environments are: outside, as the operator says, or in the embedded server. */

import { OperatorError } from '../../base/operator-error.ts';
import { hasCluster } from '../../engines/db/embedded/cluster.ts';
import { type EmbeddedServer, openEmbeddedServer } from '../../engines/db/embedded.ts';
import type { EnvironmentName } from '../../engines/environment.ts';
import type { Config } from '../config/types.ts';
import { within } from './closing.ts';
import { prepareDataDirectory } from './data-folder.ts';

export interface Databases {
  url(name: EnvironmentName): Promise<string>;
  /** Embedded databases that are not there yet begin as copies of one that `prepare` has filled. */
  beginAlike(prepare: (url: string) => Promise<void>): Promise<void>;
  close(): Promise<void>;
  /** For a forced end: tells the embedded server to stop and does not wait. */
  abandon(): void;
}

interface DatabasesOptions {
  /**
   * `serve` and `init` make the embedded database where there is none, and only one process serves from a data folder.
   * Any other command works on what is there: in the wrong folder it must not make a second, empty database.
   */
  mode: 'serve' | 'init' | 'join';
  onLost?: (error: Error) => void;
  /** As for the embedded server. */
  onProgram?: () => void;
  onRecovery?: (progress: string) => void;
  signal?: AbortSignal;
}

const closePatienceMs = 4_000;

const databaseOf = (name: EnvironmentName): string => `trunkline_${name}`;

/** The embedded server is started only when one of the environments asked for lives in it. */
export async function openDatabases(
  config: Config,
  names: readonly EnvironmentName[],
  options: DatabasesOptions,
): Promise<Databases> {
  const inside = names.filter((name) => config.environments[name].databaseUrl === null);
  const embedded = inside.length > 0 ? await openEmbedded(config, inside, options) : null;
  return {
    url: async (name) => {
      const outside = config.environments[name].databaseUrl;
      if (outside !== null) return outside;
      if (embedded === null) throw new Error(`no database was opened for ${name}`);
      await embedded.createDatabase(databaseOf(name));
      return embedded.url(databaseOf(name));
    },
    beginAlike: async (prepare) => embedded?.createAlike(inside.map(databaseOf), prepare),
    close: async () => {
      if (embedded === null) return;
      await within(closePatienceMs, embedded.close()).catch(() => embedded.abandon());
    },
    abandon: () => embedded?.abandon(),
  };
}

async function openEmbedded(
  { dataDirectory }: Config,
  names: readonly EnvironmentName[],
  { mode, ...options }: DatabasesOptions,
): Promise<EmbeddedServer> {
  if (mode === 'join' && !(await hasCluster(dataDirectory))) throw noDatabase(dataDirectory, names);
  await prepareDataDirectory(dataDirectory);
  return openEmbeddedServer({ dataDirectory, serving: mode === 'serve', ...options });
}

function noDatabase(dataDirectory: string, names: readonly EnvironmentName[]): OperatorError {
  const variables = names.map((name) => (name === 'production' ? 'DATABASE_URL' : 'SANDBOX_DATABASE_URL'));
  return new OperatorError(
    `There is no database in the data folder ${dataDirectory}, and ${variables.join(' and ')} ${names.length > 1 ? 'are' : 'is'} not set; name the right folder with --data or TRUNKLINE_DATA, or make a new database there with trunkline init.`,
  );
}
