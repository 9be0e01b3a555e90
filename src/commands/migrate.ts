/** `migrate` and `init`: the first steps of `serve` as separate commands, to run before new processes start. */
import { openDatabases } from '../boot/databases.ts';
import { openEnvironment } from '../boot/environment.ts';
import { createLog } from '../boot/log.ts';
import type { EnvironmentName } from '../environment.ts';
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
    options,
    run: ({ values, out }) => migrateDatabases('join', values, out),
  }),
];

async function migrateDatabases(
  mode: 'init' | 'join',
  values: EnvironmentValues,
  out: (line: string) => void,
): Promise<void> {
  const names: EnvironmentName[] = values.env === undefined ? ['production', 'sandbox'] : [environmentName(values.env)];
  const config = readCommandConfig(values);
  const databases = await openDatabases(config, names, { mode });
  try {
    const log = createLog('warn', 'stderr');
    for (const name of names) {
      const opened = await openEnvironment(name, { config, url: await databases.url(name), log });
      await opened.close();
      const applied = opened.migrated.map((migration) => migration.name);
      out(`${name}: ${applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to do'}`);
    }
  } finally {
    await databases.close();
  }
}
