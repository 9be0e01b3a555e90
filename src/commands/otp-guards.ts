/** `otp-guards set|list|blocked`: the limits on verification starts, and the starts they have blocked. */
import type { Environment } from '../environment.ts';
import { type Field, mustBe, oneOf, text, wholeNumber } from '../fields.ts';
import { OperatorError } from '../operator-error.ts';
import { changeSettings, readSettings } from '../verification/settings.ts';
import { changeCommand } from './change-command.ts';
import { argument, columns } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { moment } from './output.ts';

const onOff: Field<boolean> = (value) => oneOf('on', 'off')(value) === 'on';
const count = wholeNumber(1, 1_000_000_000);

/** `LIMIT/SECONDS`, or the parts that are named. */
const velocity =
  (...parts: readonly string[]): Field<Record<string, number>> =>
  (value) => {
    const given = String(value).split('/');
    if (given.length !== parts.length) throw mustBe(parts.join('/').toUpperCase(), value);
    return Object.fromEntries(parts.map((part, index) => [part, count(given[index])]));
  };

const perWindow = velocity('limit', 'seconds');

/** How each setting is read from the command line; what values it may have is checked with the settings. */
const readers: Record<string, { summary: string; read: Field<unknown> }> = {
  failedAuthentication: { summary: 'LIMIT/SECONDS per address', read: perWindow },
  publicAddressRate: { summary: 'requests a second in public mode per address', read: count },
  publicAccountRate: { summary: 'requests a second in public mode per account', read: count },
  accountRate: { summary: 'requests a second per account', read: count },
  refuseReplays: { summary: 'on or off: refuse a signature that was used before', read: onOff },
  destinationBudget: { summary: 'LIMIT/SECONDS per number, over all applications', read: perWindow },
  prefixVelocity: {
    summary: 'LIMIT/SECONDS/DIGITS for numbers that share their first digits',
    read: velocity('limit', 'seconds', 'digits'),
  },
  addressVelocity: { summary: 'LIMIT/SECONDS of starts per client address', read: perWindow },
  countries: {
    summary: 'DE,AT,…: the only countries that are served',
    read: (value) =>
      String(value)
        .split(',')
        .map((iso) => iso.trim().toUpperCase()),
  },
  blockPremium: { summary: 'on or off: refuse premium-rate numbers', read: onOff },
  unknownNumbers: { summary: 'allow or refuse: numbers that no numbering plan holds', read: text() },
  dailyVolume: { summary: 'starts a day of one application', read: count },
  conversionMode: {
    summary: 'off, monitor or block: what happens when few codes of a prefix come back',
    read: oneOf('off', 'monitor', 'block'),
  },
  conversionMinutes: { summary: 'the time that is looked at, 10 to 1440', read: count },
  conversionStarts: { summary: 'sent codes of an account and prefix below which nothing is decided', read: count },
  conversionPercent: { summary: 'percent of the codes that must come back', read: count },
  conversionDigits: { summary: 'first digits that make a prefix, 1 to 6', read: count },
  conversionBlockMinutes: { summary: 'how long an automatic block lasts', read: count },
  newerFields: { summary: 'on or off: read custom and sms.autofill at a start', read: onOff },
  retentionHours: { summary: 'how long a final record is kept, at least 24', read: count },
  sender: { summary: 'sender id for applications without one', read: text() },
  callerNumber: { summary: "number that calls show where the application's sender is none", read: text() },
  ringSeconds: { summary: 'how long a called phone may ring, 5 to 60', read: count },
  accountCalls: { summary: 'calls of one account at once in a process', read: count },
  sandboxCalls: { summary: 'inbox or ring: whether calls of the sandbox also ring a phone nearby', read: text() },
};

const notes = ['Settings:', ...columns(Object.entries(readers).map(([name, { summary }]) => [name, summary]))].join(
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
    formatSetting(value),
  ]);
  for (const line of columns(rows)) out(line);
}

function formatSetting(value: unknown): string {
  if (value === null || value === false) return 'off';
  if (value === true) return 'on';
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object') return String(value);
  const parts = new Map(Object.entries(value));
  return ['limit', 'seconds', 'digits'].flatMap((part) => parts.get(part) ?? []).join('/');
}

function readSetting(pair: string): [string, unknown] {
  const [name = '', ...rest] = pair.split('=');
  const given = rest.join('=');
  const reader = readers[name];
  if (reader === undefined || rest.length === 0) throw new OperatorError(`"${pair}" is not NAME=VALUE of a setting.`);
  if (given === 'default') return [name, undefined];
  return [
    name,
    given === 'off' && reader.read !== onOff && name !== 'conversionMode' ? null : argument(name, given, reader.read),
  ];
}
