/** `migrate` and `init`: the first steps of `serve` as separate commands, to run before new processes start. */

import { buildIndexes } from '../../engines/db/build-indexes.ts';
import { createPool } from '../../engines/db/pool.ts';
import { shippedSchema } from '../../engines/db/schema-files.ts';
import type { EnvironmentName } from '../../engines/environment.ts';
import { openDatabases } from '../boot/databases.ts';
import { openEnvironment } from '../boot/environment.ts';
import { createLog } from '../boot/log.ts';
import { defineCommand } from './command.ts';
import { type EnvironmentValues, environmentName, environmentOptions, readCommandConfig } from './open-environment.ts';

const options = {
  ...environmentOptions,
  env: { type: 'string', value: 'production|sandbox', summary: 'which environment; both when left out' },
} as const;

export const databaseCommands = [
  defineCommand({
    name: 'init',
    summary: 'Make the embedded databases in the data folder, without accounts; what is there stays.',
    options,
    run: ({ values, out }) => migrateDatabases('init', values, out),
  }),
  defineCommand({
    name: 'migrate',
    summary: 'Bring the databases to the schema of this version.',
    options: {
      ...options,
      'indexes-first': {
        type: 'boolean',
        summary: 'build new indexes before, one at a time, while the running version writes; for large tables',
      },
    },
    run: ({ values, out }) => migrateDatabases('join', values, out),
  }),
];

async function migrateDatabases(
  mode: 'init' | 'join',
  values: EnvironmentValues & { 'indexes-first'?: boolean | undefined },
  out: (line: string) => void,
): Promise<void> {
  const names: EnvironmentName[] = values.env === undefined ? ['production', 'sandbox'] : [environmentName(values.env)];
  const config = readCommandConfig(values);
  const databases = await openDatabases(config, names, { mode });
  try {
    const log = createLog('warn', 'stderr');
    for (const name of names) {
      const url = await databases.url(name);
      if (values['indexes-first'])
        await buildIndexesOf(config.environments[name].databaseDirectUrl ?? url, (line) => out(`${name}: ${line}`));
      const opened = await openEnvironment(name, { config, url, log });
      await opened.close();
      out(`${name}: ${opened.migrated.length > 0 ? `applied ${opened.migrated.join(', ')}` : 'nothing to do'}`);
    }
  } finally {
    await databases.close();
  }
}

async function buildIndexesOf(url: string, out: (line: string) => void): Promise<void> {
  const pool = createPool(url, { max: 1 });
  try {
    await buildIndexes(pool, await shippedSchema(), out);
  } finally {
    await pool.end();
  }
}
