/** `server-key reseal`: the last but one step of replacing the server key (docs/upgrade.md). */

import { act, atCommandLine } from '../../interfaces/operator/act.ts';
import { noteOnlyKey, resealEverything } from '../boot/reseal.ts';
import { resealWorlds } from '../boot/reseal-worlds.ts';
import { reasonOption } from './change-command.ts';
import { environmentCommand, environmentOptions, readCommandConfig } from './open-environment.ts';

export const serverKeyCommands = [
  environmentCommand({
    name: 'server-key reseal',
    summary: 'Encrypt everything with the first of several server keys; afterwards it is enough alone.',
    options: { ...environmentOptions, ...reasonOption },
    notes: 'Run it when every process has the new key in the first place; docs/upgrade.md has the steps.',
    run: async ({ env, values, out, printTable }) => {
      const isTerminal = process.stderr.isTTY;
      const done = await resealEverything(env, ({ table, column }) => {
        if (isTerminal) process.stderr.write(`${table}.${column} done\n`);
      });
      // Before the old key is noted as done with: if this is broken off, the sandbox still asks for it.
      const worlds = env.name === 'sandbox' ? await resealWorlds(env, readCommandConfig(values)) : 0;
      const changed = Object.fromEntries(done.map(({ table, column, changed }) => [`${table}.${column}`, changed]));
      await act(atCommandLine(env, values.reason), async (inside) => {
        await noteOnlyKey(inside);
        const subject = { type: 'server_key', id: env.serverKey.marks()[0].slice(0, 16) };
        return { result: undefined, action: 'server_key.replaced', accountId: null, subject, after: changed };
      });
      printTable(
        ['Table', 'Column', 'Changed'],
        done.map(({ table, column, changed: count }) => [table, column, String(count)]),
        'Nothing is encrypted.',
      );
      if (worlds > 0) out(`The same was done in ${worlds} databases of worlds, their templates and snapshots.`);
      out('Everything is encrypted with the first server key. The others may go.');
    },
  }),
];
