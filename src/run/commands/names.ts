/** `names …`: the own list of callers' names, and what a call would find. */

import { namesOf } from '../../business/voice/names/names-of.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { changeCallerName } from '../../interfaces/operator/caller-names.ts';
import { reasonOption } from './change-command.ts';
import type { Command } from './command.ts';
import { environmentCommand } from './open-environment.ts';

const audits = 'caller_name.changed';

export const namesCommands: readonly Command[] = [
  environmentCommand({
    name: 'names list',
    summary: "List the own list of callers' names.",
    run: async ({ env, printTable }) => {
      const names = await env.db.selectFrom('caller_names').selectAll().orderBy('number').execute();
      printTable(
        ['NUMBER', 'NAME'],
        names.map(({ number, name }) => [number, name]),
        'The list is empty.',
      );
    },
  }),
  environmentCommand({
    name: 'names look-up',
    summary: 'Look up the name of a caller as a call would.',
    positionals: ['NUMBER'],
    run: async ({ env, positionals: [number = ''], out }) => {
      const found = await namesOf(env)(number.replace(/^\+/, ''));
      out(found === null ? 'No name is known.' : `${found.name} (${found.from})`);
    },
  }),
  {
    ...environmentCommand({
      name: 'names set',
      summary: 'Put the name of a caller on the own list.',
      positionals: ['NUMBER', 'NAME'],
      options: reasonOption,
      run: async ({ env, values, positionals: [number = '', name = ''], out }) => {
        await changeCallerName(atCommandLine(env, values.reason), number, name);
        out(`${number} is ${name}.`);
      },
    }),
    audits,
  },
  {
    ...environmentCommand({
      name: 'names remove',
      summary: 'Take a caller off the own list.',
      positionals: ['NUMBER'],
      options: reasonOption,
      run: async ({ env, values, positionals: [number = ''], out }) => {
        await changeCallerName(atCommandLine(env, values.reason), number, null);
        out(`${number} is off the list.`);
      },
    }),
    audits,
  },
];
