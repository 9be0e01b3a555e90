/** `account show`, `account suspend`, `account resume`, `account close`. */
import { sql } from 'kysely';
import type { Account } from '../../business/accounts/account-columns.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import type { Environment } from '../../engines/environment.ts';
import { closeAccount, resumeAccount, suspendAccount } from '../../interfaces/operator/accounts.writes.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { writeNote } from '../../interfaces/operator/overview/account-notes.ts';
import { readAccountOverview } from '../../interfaces/operator/overview/account-overview.ts';
import { requireReason } from './change-command.ts';
import { columns, onOrOff } from './command.ts';
import { confirmedCommand } from './confirmed-command.ts';
import { environmentCommand } from './open-environment.ts';
import { money, shown, table } from './output.ts';

const reason = { type: 'string', value: 'TEXT', summary: 'why; the customer is shown it' } as const;

export const accountStateCommands = [
  environmentCommand({
    name: 'account show',
    summary: 'Show everything about an account, named by its name, e-mail address or id.',
    positionals: ['ACCOUNT'],
    options: { json: { type: 'boolean', summary: 'print JSON' } },
    run: async ({ env, values, positionals: [wanted = ''], out }) => {
      const overview = await readAccountOverview(env, await requireAccount(env, wanted));
      if (values.json) return out(JSON.stringify(overview));
      for (const [part, content] of Object.entries(overview)) {
        out(part);
        for (const line of partLines(content)) out(`  ${line}`);
      }
    },
  }),
  environmentCommand({
    name: 'account note',
    summary: 'Write a note about an account, which only operators see.',
    positionals: ['ACCOUNT', 'TEXT'],
    run: async ({ env, positionals: [wanted = '', text = ''], out }) => {
      const account = await requireAccount(env, wanted);
      await writeNote(atCommandLine(env), account.id, text);
      out(`Wrote a note about ${account.name}.`);
    },
  }),
  environmentCommand({
    name: 'account suspend',
    summary: 'Suspend an account: its requests are 403, its codes and calls are refused.',
    positionals: ['ACCOUNT'],
    options: {
      reason,
      'end-calls': { type: 'string', value: 'on|off', summary: 'end calls that are up (on)' },
      'hold-renewals': { type: 'string', value: 'on|off', summary: 'renew nothing until it is resumed (off)' },
    },
    run: async ({ env, values, positionals: [wanted = ''], out }) => {
      const account = await requireAccount(env, wanted);
      await suspendAccount(atCommandLine(env), account.id, {
        reason: requireReason(values),
        endCalls: onOrOff('--end-calls', values['end-calls'] ?? 'on'),
        holdRenewals: onOrOff('--hold-renewals', values['hold-renewals'] ?? 'off'),
      });
      out(`${account.name} is suspended.`);
    },
  }),
  environmentCommand({
    name: 'account resume',
    summary: 'Let a suspended account be used again.',
    positionals: ['ACCOUNT'],
    options: { reason: { ...reason, summary: 'why; kept in the audit log' } },
    run: async ({ env, values, positionals: [wanted = ''], out }) => {
      const account = await requireAccount(env, wanted);
      await resumeAccount(atCommandLine(env, values.reason), account.id);
      out(`${account.name} may be used again.`);
    },
  }),
  confirmedCommand({
    name: 'account close',
    summary: 'Close an account for good: its keys are revoked, its numbers end with their paid period.',
    positionals: ['ACCOUNT'],
    notes: 'The customer is shown the reason.',
    run: async ({ env, reason, positionals: [wanted = ''] }) => {
      const account = await requireAccount(env, wanted);
      const effects = await endingWith(env, account);
      await closeAccount(atCommandLine(env), account.id, reason);
      return { concerned: account.name, effects, done: `${account.name} is closed.` };
    },
  }),
];

/** What ends with an account. */
async function endingWith({ db }: Environment, { id, name, balance }: Account): Promise<string[]> {
  const { rows } = await sql<Record<'keys' | 'numbers' | 'calls', number>>`
    select (select count(*)::int from api_keys where account_id = ${id} and revoked_at is null) as keys,
      (select count(*)::int from dids where account_id = ${id} and not terminated) as numbers,
      (select count(*)::int from open_calls where account_id = ${id}) as calls
  `.execute(db);
  const { keys = 0, numbers = 0, calls = 0 } = rows[0] ?? {};
  return [
    `${name} can never be used again`,
    `API keys that are revoked: ${keys}`,
    `numbers that end with their paid period: ${numbers}`,
    `calls that end now: ${calls}`,
    `balance that is left: ${money(balance)}`,
  ];
}

/** A part is an object of members, or a list of records. */
function partLines(content: unknown): string[] {
  if (!Array.isArray(content))
    return columns(Object.entries(content ?? {}).map(([name, value]) => [name, shown(value)]));
  const names = Object.keys(content[0] ?? {});
  const rows = content.map((record) => names.map((name) => shown(record[name])));
  return table(
    names.map((name) => name.toUpperCase()),
    rows,
    'none',
  );
}
