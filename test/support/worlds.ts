/** Worlds beside a test environment, as the program itself opens them; their databases are dropped when it closes. */

import { Turns } from '../../src/interfaces/server/turns.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';
import { noMedia } from '../../src/run/boot/media.ts';
import { openWorlds, type ServedWorlds } from '../../src/run/boot/worlds.ts';
import { readConfig } from '../../src/run/config/read-config.ts';

interface TestWorlds extends ServedWorlds {
  close(): Promise<void>;
}

export function openTestWorlds(env: WholeEnvironment, variables: Record<string, string> = {}): TestWorlds {
  const serverKey = { TRUNKLINE_SERVER_KEY: env.serverKey.reveal() };
  const config = readConfig({ ...serverKey, TRUNKLINE_WORLDS_READY: '0', ...variables });
  const served = openWorlds(env, { config, media: noMedia, turns: new Turns() });
  if (served === null) throw new Error('This environment has no worlds.');
  const { databases } = served.worlds;
  return {
    ...served,
    close: async () => {
      await served.worlds.stop();
      for (const kind of ['w', 's', 't'] as const) {
        for (const id of await databases.ids(kind)) await databases.drop(databases.name(kind, id));
      }
    },
  };
}
