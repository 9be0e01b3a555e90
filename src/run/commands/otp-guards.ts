/** `otp-guards set|list|blocked`: the limits on verification starts, and the starts they have blocked. */

import { OperatorError } from '../../base/operator-error.ts';
import type { Environment } from '../../engines/environment.ts';
import { formatGuard, guardTexts, isGuard, readGuard } from '../../interfaces/operator/conversion/guard-settings.ts';
import { changeSettings, readSettings } from '../../interfaces/verification/settings.ts';
import { changeCommand } from './change-command.ts';
import { columns } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment } from './output.ts';

const notes = ['Settings:', ...columns(Object.entries(guardTexts).map(([name, { summary }]) => [name, summary]))].join(
  '\n',
);

export const otpGuardsCommands = [
  changeCommand({
    action: 'verification_settings.changed',
    name: 'otp-guards set',
    summary: 'Change settings of the verification service: NAME=VALUE, NAME=off, or NAME=default for what is shipped.',
    positionals: ['NAME=VALUE...'],
    notes,
    run: async ({ env, positionals, out }) => {
      const before = await readSettings(env);
      const after = await changeSettings(env, Object.fromEntries(positionals.map(readSetting)));
      await show(env, out);
      return { subject: { type: 'verification_settings', id: env.name }, before: { ...before }, after: { ...after } };
    },
  }),
  environmentCommand({
    name: 'otp-guards list',
    summary: 'Show the settings of the verification service.',
    run: ({ env, out }) => show(env, out),
  }),
  environmentCommand({
    name: 'otp-guards blocked',
    summary: 'List the last 100 starts that a guard refused, with the reason.',
    run: async ({ env, printTable }) => {
      const blocked = await env.db
        .selectFrom('verification_blocked_starts as b')
        .innerJoin('otp_applications as a', 'a.id', 'b.application_id')
        .select(['b.created_at', 'a.name', 'b.destination', 'b.delivery_method', 'b.address', 'b.reason'])
        .orderBy('b.id', 'desc')
        .limit(100)
        .execute();
      const rows = blocked.map((b) => [
        moment(b.created_at),
        b.name,
        b.destination,
        b.delivery_method,
        b.address,
        b.reason,
      ]);
      const headings = ['WHEN', 'APPLICATION', 'DESTINATION', 'METHOD', 'FROM', 'REASON'];
      printTable(headings, rows, 'No start was refused.');
    },
  }),
];

async function show(env: Environment, out: (line: string) => void): Promise<void> {
  const rows = Object.entries(await readSettings(env)).map(([name, value]): [string, string] => [
    name,
    formatGuard(value),
  ]);
  for (const line of columns(rows)) out(line);
}

function readSetting(pair: string): [string, unknown] {
  const [name = '', ...rest] = pair.split('=');
  if (!isGuard(name) || rest.length === 0) throw new OperatorError(`"${pair}" is not NAME=VALUE of a setting.`);
  return [name, readGuard(name, rest.join('='))];
}
