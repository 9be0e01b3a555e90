/** Seals the databases beside a sandbox anew as well: its worlds, what they can be reset to, and snapshots. */

import { connectionOf } from '../../engines/db/pool.ts';
import type { Environment } from '../../engines/environment.ts';
import { rehashCodes } from '../../interfaces/verification/rehash-codes.ts';
import { resealCredentials } from '../../interfaces/worlds/credentials.ts';
import { WorldDatabases } from '../../interfaces/worlds/databases.ts';
import { isUnfinished } from '../../interfaces/worlds/templates.ts';
import type { Config } from '../config/types.ts';
import { openEnvironment } from './environment.ts';
import { noteOnlyKey, resealEverything } from './reseal.ts';

/**
 * What worlds are cloned from comes first. PostgreSQL lets nobody into a database that it clones, so a clone from
 * before its source was sealed anew is there when the worlds are listed. Returns the number of databases.
 */
export async function resealWorlds(env: Environment, config: Config): Promise<number> {
  const databases = new WorldDatabases(connectionOf(env.pool));
  let done = 0;
  for (const kind of ['t', 's', 'w'] as const) {
    for (const id of await databases.ids(kind)) {
      // Nobody may be connected to a template that is being made; who uses it next looks which keys it needs.
      if (kind === 't' && isUnfinished(id)) continue;
      if (await resealDatabase(env, config, databases, databases.name(kind, id))) done += 1;
    }
    if (kind === 's') await resealCredentials(env);
  }
  return done;
}

/** False if it was dropped meanwhile. */
async function resealDatabase(
  { log }: Environment,
  config: Config,
  databases: WorldDatabases,
  database: string,
): Promise<boolean> {
  try {
    const { env, close } = await openEnvironment('sandbox', { config, url: databases.url(database), log });
    try {
      await resealEverything(env, () => undefined);
      await rehashCodes(env);
      await noteOnlyKey(env);
    } finally {
      await close();
    }
    return true;
  } catch (error) {
    if (!(await databases.exists(database))) return false;
    throw error;
  }
}
