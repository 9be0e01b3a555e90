/** `account create`, `account list`, `account update`. */
import { text as readAll } from 'node:stream/consumers';
import { decimal, oneOf, text } from '../../base/fields.ts';
import type { Account, AccountSettings } from '../../business/accounts/account-columns.ts';
import { listAccounts, requireAccount } from '../../business/accounts/accounts.ts';
import { featureNames, featureTexts, limitNames, limitTexts } from '../../business/accounts/features-and-limits.ts';
import { changeAccount, openAccount } from '../../interfaces/operator/accounts.writes.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { knownVersions } from '../../interfaces/platform/versions/versions.ts';
import { columns, defineCommand, numbers, onOrOff, option, switches } from './command.ts';
import { environmentCommand, environmentOptions, withEnvironment } from './open-environment.ts';
import { moment, money } from './output.ts';

const settings = {
  password: { type: 'string', value: 'TEXT', summary: 'for the panel, at least 12 characters; - reads it from stdin' },
  credit: { type: 'string', value: 'AMOUNT', summary: 'how far below zero the balance may go' },
  'vat-rate': { type: 'string', value: 'PERCENT', summary: 'added to prices, 0 to 100' },
  'api-version': { type: 'string', value: 'DATE', summary: `one of ${knownVersions.join(', ')}` },
  features: { type: 'string', value: 'NAME=on|off,…', summary: 'switch features on or off' },
  limits: { type: 'string', value: 'NAME=N,…', summary: 'set limits' },
  'callback-secret': { type: 'string', value: 'TEXT', summary: 'signs callbacks' },
  'call-events': { type: 'string', value: 'URL', summary: 'where call events go' },
} as const;

const json = { type: 'boolean', summary: 'print JSON' } as const;

const amount = decimal('an amount such as 1000.00');
const percentage = text(
  /^(100(\.0{1,3})?|\d{1,2}(\.\d{1,3})?)$/,
  'a percentage from 0 to 100 with up to three decimals',
);

const notes = [
  'Features, all on at first:',
  ...columns(featureNames.map((name) => [name, featureTexts[name]])),
  '',
  'Limits:',
  ...columns(limitNames.map((name) => [name, `${limitTexts[name].text} (${limitTexts[name].default ?? 'unset'})`])),
].join('\n');

export const accountCommands = [
  defineCommand({
    name: 'account create',
    summary: 'Create an account.',
    positionals: ['NAME'],
    options: {
      ...environmentOptions,
      email: { type: 'string', value: 'ADDRESS', summary: 'the login of the panel' },
      balance: { type: 'string', value: 'AMOUNT', summary: 'what it starts with' },
      ...settings,
      json,
    },
    notes,
    run: async ({ values, positionals: [name = ''], out }) => {
      const balance = option('balance', values.balance, amount);
      const given = await readSettings(values);
      await withEnvironment(values, async (env) => {
        const account = await openAccount(atCommandLine(env), {
          name,
          ...(values.email === undefined ? {} : { email: values.email }),
          ...(balance === undefined ? {} : { balance }),
          ...given,
        });
        out(values.json ? JSON.stringify(account) : `Created ${account.name} with the id ${account.id}.`);
      });
    },
  }),
  environmentCommand({
    name: 'account list',
    summary: 'List the accounts.',
    options: { json },
    run: async ({ env, values, out, printTable }) => {
      const accounts = await listAccounts(env);
      if (values.json) return out(JSON.stringify(accounts));
      const headings = ['NAME', 'ID', 'E-MAIL', 'BALANCE', 'CREDIT', 'VERSION', 'CREATED', 'REMARKS'];
      printTable(headings, accounts.map(row), 'There are no accounts.');
    },
  }),
  defineCommand({
    name: 'account update',
    summary: 'Change an account, named by its name, e-mail address or id.',
    positionals: ['ACCOUNT'],
    options: {
      ...environmentOptions,
      name: { type: 'string', value: 'TEXT', summary: 'another name' },
      email: { type: 'string', value: 'ADDRESS', summary: 'another login of the panel; empty for none' },
      ...settings,
      reason: { type: 'string', value: 'TEXT', summary: 'why; kept in the audit log' },
      'read-only': { type: 'string', value: 'on|off', summary: 'a read-only account may not order' },
      json,
    },
    notes,
    run: async ({ values, positionals: [wanted = ''], out }) => {
      const given = await readSettings(values);
      const readOnly = values['read-only'];
      await withEnvironment(values, async (env) => {
        const found = await requireAccount(env, wanted);
        const account = await changeAccount(atCommandLine(env, values.reason), found.id, {
          ...given,
          ...(values.name === undefined ? {} : { name: values.name }),
          ...(values.email === undefined ? {} : { email: values.email || null }),
          ...(readOnly === undefined ? {} : { readOnly: onOrOff('--read-only', readOnly) }),
        });
        out(values.json ? JSON.stringify(account) : `Changed ${account.name}.`);
      });
    },
  }),
];

function row(account: Account): string[] {
  const { name, id, email, balance, credit, apiVersion, createdAt } = account;
  const version = apiVersion ?? 'newest';
  return [name, id, email ?? '', money(balance), money(credit), version, moment(createdAt), remarks(account)];
}

/** What differs from the default settings. */
function remarks(account: Account): string {
  return [
    ...(account.closedAt ? ['closed'] : account.suspendedAt ? ['suspended'] : []),
    ...(account.readOnly ? ['read-only'] : []),
    ...featureNames.filter((name) => !account.features[name]).map((name) => `no ${name}`),
    ...limitNames
      .filter((name) => account.limits[name] !== limitTexts[name].default)
      .map((name) => `${name} ${account.limits[name]}`),
  ].join(', ');
}

type Given = { readonly [K in keyof typeof settings]?: string };

async function readSettings(values: Given): Promise<AccountSettings> {
  const version = option('api-version', values['api-version'], oneOf(...knownVersions));
  const credit = option('credit', values.credit, amount);
  const vatRate = option('vat-rate', values['vat-rate'], percentage);
  const password = values.password === '-' ? (await readAll(process.stdin)).trim() : values.password;
  return {
    ...(password === undefined ? {} : { password }),
    ...(credit === undefined ? {} : { credit }),
    ...(vatRate === undefined ? {} : { vatRate }),
    ...(version === undefined ? {} : { apiVersion: version }),
    ...(values.features === undefined ? {} : { features: switches('features', values.features) }),
    ...(values.limits === undefined ? {} : { limits: numbers('limits', values.limits) }),
    ...(values['callback-secret'] === undefined ? {} : { callbackSecret: values['callback-secret'] || null }),
    ...(values['call-events'] === undefined
      ? {}
      : { callEvents: values['call-events'] ? { url: values['call-events'], gzip: false } : null }),
  };
}
