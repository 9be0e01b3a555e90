/** `server-key reseal`: the last but one step of replacing the server key (docs/upgrade.md). */
import { noteOnlyKey, resealEverything } from '../boot/reseal.ts';
import { act, atCommandLine } from '../operator/act.ts';
import { reasonOption } from './change-command.ts';
import { environmentCommand } from './open-environment.ts';

export const serverKeyCommands = [
  environmentCommand({
    name: 'server-key reseal',
    summary: 'Encrypt everything with the first of several server keys; afterwards it is enough alone.',
    options: reasonOption,
    notes: 'Run it when every process has the new key in the first place; docs/upgrade.md has the steps.',
    run: async ({ env, values, out, printTable }) => {
      const isTerminal = process.stderr.isTTY;
      const done = await resealEverything(env, ({ table, column }) => {
        if (isTerminal) process.stderr.write(`${table}.${column} done\n`);
      });
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
      out('Everything is encrypted with the first server key. The others may go.');
    },
  }),
];
