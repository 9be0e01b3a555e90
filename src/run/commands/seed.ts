/** `seed FILE`: makes records of a running sandbox or world. `trigger NAME`: lets one thing happen in it. */
import { readFile } from 'node:fs/promises';
import { OperatorError } from '../../base/operator-error.ts';
import { defineCommand } from './command.ts';
import { controlOf, controlOptions } from './sandbox-control.ts';
import { takesCallback, triggers } from './triggers.ts';

interface Seeded {
  numbers: { numbers: string[] }[];
  accounts: { name: string; numbers: { number: string }[]; calls: string[]; verifications: string[] }[];
}

export const seedCommands = [
  defineCommand({
    name: 'seed',
    summary: 'Make accounts, numbers, past calls and verifications that a file describes.',
    positionals: ['FILE'],
    options: controlOptions,
    notes:
      'The file is JSON with the members of a sandbox in the bootstrap file: catalogue, numbers, accounts. What exists stays; if something is wrong, nothing is changed.',
    run: async ({ values, positionals: [file = ''], printTable }) => {
      const seeded = (await controlOf(values)('POST', '/seed', await readJson(file))) as Seeded;
      const stock = seeded.numbers.map(({ numbers }) => ['for sale', numbers.join(' '), '', '']);
      const owned = seeded.accounts.map(({ name, numbers, calls, verifications }) => [
        name,
        numbers.map(({ number }) => number).join(' '),
        String(calls.length),
        String(verifications.length),
      ]);
      printTable(['account', 'numbers', 'calls', 'verifications'], [...stock, ...owned], 'Nothing was asked for.');
    },
  }),
  defineCommand({
    name: 'trigger',
    summary: 'Let one thing happen in a sandbox: an order is completed, a call ends …',
    positionals: ['NAME'],
    options: {
      ...controlOptions,
      callback: {
        type: 'string',
        value: 'URL',
        summary: 'where the callback of an order goes; of a call: its events, from now on',
      },
    },
    notes: `NAME is one of: ${Object.keys(triggers).join(', ')}.`,
    run: async ({ values, positionals: [name = ''], out }) => {
      const trigger = Object.hasOwn(triggers, name) ? triggers[name] : undefined;
      if (trigger === undefined)
        throw new OperatorError(`There is no "${name}". NAME is one of: ${Object.keys(triggers).join(', ')}.`);
      const { callback = null } = values;
      if (callback !== null && !takesCallback(name)) throw new OperatorError('--callback is for orders and calls.');
      out(await trigger({ control: controlOf(values), v3: controlOf(values, 'v3'), callback }));
    },
  }),
];

async function readJson(file: string): Promise<object> {
  const content = await readFile(file, 'utf8').catch(() => {
    throw new OperatorError(`${file} cannot be read.`);
  });
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    throw new OperatorError(`${file} is not JSON.`);
  }
  throw new OperatorError(`${file} must hold an object.`);
}
