import { openDatabases } from '../boot/databases.ts';
import { openEnvironment } from '../boot/environment.ts';
import { createLog } from '../boot/log.ts';
import { readServerKey } from '../boot/server-key.ts';
import type { EnvironmentName } from '../environment.ts';
import { defineCommand } from './command.ts';
import { environmentName, environmentOptions, readCommandConfig } from './open-environment.ts';

/** `serve` does this too; here it is for operators who want the step by itself, before new processes start. */
export const migrateCommand = defineCommand({
  name: 'migrate',
  summary: 'Bring the databases to the schema of this version.',
  options: {
    ...environmentOptions,
    env: { type: 'string', value: 'NAME', summary: 'production or sandbox; both when left out' },
  },
  run: async ({ values, out }) => {
    const names: EnvironmentName[] =
      values.env === undefined ? ['production', 'sandbox'] : [environmentName(values.env)];
    const config = readCommandConfig(values);
    const databases = await openDatabases(config, names, { serving: false });
    try {
      const serverKey = await readServerKey(config);
      const log = createLog('warn', 'stderr');
      for (const name of names) {
        const opened = await openEnvironment(name, { config, url: await databases.url(name), log, serverKey });
        await opened.close();
        const applied = opened.migrated.map((migration) => migration.name);
        out(`${name}: ${applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to do'}`);
      }
    } finally {
      await databases.close();
    }
  },
});
