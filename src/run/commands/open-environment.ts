/** Opens one environment's database for a command, whether or not a server is running on it. */

import { oneOf } from '../../base/fields.ts';
import type { EnvironmentName } from '../../engines/environment.ts';
import type { WholeEnvironment } from '../../interfaces/server/whole-environment.ts';
import { openDatabases } from '../boot/databases.ts';
import { openEnvironment } from '../boot/environment.ts';
import { createLog } from '../boot/log.ts';
import { readConfig } from '../config/read-config.ts';
import type { Config } from '../config/types.ts';
import {
  argument,
  type Command,
  type Declaration,
  defineCommand,
  type Input,
  type Options,
  type Values,
} from './command.ts';

type EnvironmentDeclaration<O extends Options> = Omit<Declaration<O>, 'run'> & {
  /** Refuses options before anything is opened. */
  check?(values: Values<O>): void;
  run(input: Input<O> & { env: WholeEnvironment }): Promise<void>;
};

/** Declares a command that works on one environment: its options name it, and it is open while the command runs. */
export function environmentCommand<const O extends Options>(declaration: EnvironmentDeclaration<O>): Command {
  const { run, check, options, ...rest } = declaration;
  return defineCommand<Options>({
    ...rest,
    options: { ...environmentOptions, ...options },
    run: async (input) => {
      const values = input.values as Values<O>;
      check?.(values);
      await withEnvironment(input.values, (env) => run({ ...input, values, env }));
    },
  });
}

export const environmentOptions = {
  env: { type: 'string', value: 'production|sandbox', summary: 'which environment (production)' },
  data: { type: 'string', value: 'FOLDER', summary: 'the data folder (TRUNKLINE_DATA, ./data)' },
} as const;

export interface EnvironmentValues {
  readonly env?: string;
  readonly data?: string;
}

/**
 * Opens the environment named by the options, at `DATABASE_URL` or in the embedded server of the data folder. Joins an
 * embedded server that runs already, otherwise starts it while `action` runs; never creates a new one.
 */
export async function withEnvironment<T>(
  values: EnvironmentValues,
  action: (env: WholeEnvironment) => Promise<T>,
): Promise<T> {
  const name = environmentName(values.env);
  const config = readCommandConfig(values);
  const databases = await openDatabases(config, [name], { mode: 'join' });
  try {
    const log = createLog('warn', 'stderr');
    const opened = await openEnvironment(name, { config, url: await databases.url(name), log });
    try {
      return await action(opened.env);
    } finally {
      await opened.close();
    }
  } finally {
    await databases.close();
  }
}

/** Reads the configuration from the environment variables, and the data folder from the option. */
export function readCommandConfig(values: EnvironmentValues): Config {
  return readConfig(process.env, values.data === undefined ? {} : { data: values.data });
}

export function environmentName(text = 'production'): EnvironmentName {
  return argument('--env', text, oneOf('production', 'sandbox'));
}
