/** `supplier …`: platforms whose numbers can be sold here, and what they offer. */
import { text as readAll } from 'node:stream/consumers';
import { OperatorError } from '../../base/operator-error.ts';
import { listSuppliers } from '../../business/suppliers/suppliers.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { addSupplier, dropSupplier, previewSupplier } from '../../interfaces/operator/suppliers/suppliers.writes.ts';
import { reasonOption } from './change-command.ts';
import { confirmedCommand } from './confirmed-command.ts';
import { environmentCommand } from './open-environment.ts';

export const supplierCommands = [
  environmentCommand({
    name: 'supplier add',
    summary: 'Add a supplier: a platform with the same /v3. What it offers is read at once, and every night.',
    positionals: ['NAME'],
    options: {
      url: { type: 'string', value: 'URL', summary: 'the base of its interface; it ends in /v3' },
      key: { type: 'string', value: 'KEY', summary: 'the API key of your account there; - reads stdin' },
      country: { type: 'string', value: 'ISO', multiple: true, summary: 'a country of interest, such as GB' },
      markup: { type: 'string', value: 'PERCENT', summary: 'what is added to its prices (0)' },
      ...reasonOption,
    },
    run: async ({ env, values, positionals: [name = ''], out }) => {
      const { url, key, country = [], markup = '0', reason } = values;
      if (url === undefined) throw new OperatorError('--url is missing: the base of its interface.');
      if (key === undefined) throw new OperatorError('--key is missing: the API key of your account there.');
      const apiKey = key === '-' ? (await readAll(process.stdin)).trim() : key;
      await addSupplier(atCommandLine(env, reason), { name, url, apiKey, countries: country, markupPercent: markup });
      out(`Added the supplier ${name}. A running server reads what it offers: see supplier list.`);
    },
  }),
  environmentCommand({
    name: 'supplier list',
    summary: 'List the suppliers, how far they were read, and what is wrong with them.',
    run: async ({ env, printTable }) => {
      const rows = (await listSuppliers(env)).map((one) => [
        ...[one.name, one.url, one.countries.join(' '), one.state, `${one.progress} %`, one.spendable ?? '-'],
        one.problem ?? '-',
      ]);
      const columns = ['NAME', 'URL', 'COUNTRIES', 'STATE', 'READ', 'SPENDABLE', 'PROBLEM'];
      printTable(columns, rows, 'There are no suppliers.');
    },
  }),
  environmentCommand({
    name: 'supplier preview',
    summary: 'Have a running server read what a supplier offers now.',
    positionals: ['NAME'],
    options: reasonOption,
    run: async ({ env, values: { reason }, positionals: [name = ''], out }) => {
      await previewSupplier(atCommandLine(env, reason), { name });
      out(`The supplier ${name} is read; supplier_offers of /operator/v1 and the panel show what it offers.`);
    },
  }),
  confirmedCommand({
    name: 'supplier remove',
    summary: 'Remove a supplier with what was read of it and its log.',
    positionals: ['NAME'],
    run: async ({ env, reason, positionals: [name = ''] }) => {
      await dropSupplier(atCommandLine(env, reason), { name });
      const effects = ['what it offers is forgotten', 'the log of requests to it is deleted'];
      return { concerned: name, effects, done: `Removed the supplier ${name}.` };
    },
  }),
];
