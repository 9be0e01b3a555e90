/** Several processes of one sandbox: environments on the same database, each with its own connections and clock. */
import { type Clock, machineClock } from '../../src/base/clock.ts';
import { Changes } from '../../src/engines/db/changes.ts';
import { createPool } from '../../src/engines/db/pool.ts';
import type { EnvironmentName } from '../../src/engines/environment.ts';
import { openClock, SandboxClock } from '../../src/interfaces/sandbox/clock.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';
import { createTestDatabase } from './database.ts';
import { environmentOf, silentLog } from './environment.ts';

export interface Processes {
  start(name?: EnvironmentName, machine?: Clock): Promise<WholeEnvironment>;
  /** What a kill does: the connections end, nothing is tidied up. */
  kill(env: WholeEnvironment): Promise<void>;
  close(): Promise<void>;
}

export async function createProcesses(): Promise<Processes> {
  const database = await createTestDatabase();
  const running = new Set<WholeEnvironment>();
  const end = async (env: WholeEnvironment) => {
    running.delete(env);
    await env.outbound.close();
    await env.changes.close();
    await env.db.destroy();
  };
  return {
    async start(name = 'sandbox', machine = machineClock) {
      const pool = createPool(database.url, { max: 5 });
      const changes = await Changes.open(pool, silentLog);
      const clock =
        name === 'sandbox' ? await SandboxClock.open(pool, changes, machine) : await openClock(name, pool, changes);
      const env = environmentOf(name, pool, changes, clock);
      running.add(env);
      return env;
    },
    kill: end,
    async close() {
      for (const env of [...running]) await end(env);
      await database.drop();
    },
  };
}
