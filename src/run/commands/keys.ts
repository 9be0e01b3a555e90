/** `keys create`, `keys list`, `keys revoke`. */

import { wholeNumber } from '../../base/fields.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import { type ApiKey, listApiKeys } from '../../business/accounts/api-keys.ts';
import { createCustomerKey, revokeCustomerKey } from '../../interfaces/operator/accounts.writes.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { option, type Values } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment } from './output.ts';

const json = { type: 'boolean', summary: 'print JSON' } as const;

/** Options of every command that creates a key. */
export const newKeyOptions = {
  name: { type: 'string', value: 'TEXT', summary: 'what the key is for (default)' },
  key: { type: 'string', value: 'TEXT', summary: 'a key of your own, at least 16 characters' },
  'allowed-ips': { type: 'string', value: 'LIST', summary: 'addresses and networks it may be used from, with commas' },
} as const;

export function readNewKey(values: Values<typeof newKeyOptions>) {
  const ips = values['allowed-ips'];
  return {
    name: values.name ?? 'default',
    ...(values.key === undefined ? {} : { key: values.key }),
    ...(ips === undefined ? {} : { allowedIps: ips.split(',').map((ip) => ip.trim()) }),
  };
}

export const keysCommands = [
  environmentCommand({
    name: 'keys create',
    summary: 'Create an API key for an account. The key is shown this once.',
    positionals: ['ACCOUNT'],
    options: {
      ...newKeyOptions,
      'rate-limit': {
        type: 'string',
        value: 'N',
        summary: 'requests a second (20 in production, none in the sandbox)',
      },
      json,
    },
    run: async ({ env, values, positionals: [wanted = ''], out }) => {
      const rate = option('rate-limit', values['rate-limit'], wholeNumber(1, 1_000_000));
      const created = await createCustomerKey(atCommandLine(env), (await requireAccount(env, wanted)).id, {
        ...readNewKey(values),
        ...(rate === undefined ? {} : { rateLimit: rate }),
      });
      out(values.json ? JSON.stringify(created) : created.key);
    },
  }),
  environmentCommand({
    name: 'keys list',
    summary: 'List the API keys.',
    options: {
      account: { type: 'string', value: 'ACCOUNT', summary: 'of this account only' },
      json,
    },
    run: async ({ env, values, out, printTable }) => {
      const keys = await listApiKeys(
        env,
        values.account === undefined ? undefined : (await requireAccount(env, values.account)).id,
      );
      if (values.json) return out(JSON.stringify(keys));
      const headings = ['ACCOUNT', 'NAME', 'KEY', 'ID', 'ALLOWED IPS', 'RATE', 'CREATED', 'REVOKED'];
      printTable(headings, keys.map(row), 'There are no API keys.');
    },
  }),
  environmentCommand({
    name: 'keys revoke',
    summary: 'Revoke an API key. Every running server refuses it from now on.',
    positionals: ['ID'],
    run: async ({ env, positionals: [id = ''], out }) => {
      await revokeCustomerKey(atCommandLine(env), id);
      out(`Revoked ${id}.`);
    },
  }),
];

function row(key: ApiKey): string[] {
  return [
    key.accountName,
    key.name,
    `${key.prefix}…`,
    key.id,
    key.allowedIps.join(', '),
    key.rateLimit === null ? '' : `${key.rateLimit}/s`,
    moment(key.createdAt),
    moment(key.revokedAt),
  ];
}
