/**
 * `otp-conversion report` and `otp-prefixes block|safe|monitor|list|lift`: how many codes come back, and what is
 * decided by it.
 */

import { lowerCaseUuid, oneOf, wholeNumber } from '../../base/fields.ts';
import { requireAccount } from '../../business/accounts/accounts.ts';
import type { Environment } from '../../engines/environment.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { changePrefixBlock, decideOnPrefix } from '../../interfaces/operator/conversion/prefix-blocks.writes.ts';
import { dimensionNames, readConversion } from '../../interfaces/operator/conversion/report.ts';
import { lookUp } from '../../interfaces/operator/read-records.ts';
import { argument, option } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { timeOf } from './window.ts';

const reason = { reason: { type: 'string', value: 'TEXT', summary: 'why' } } as const;
const summaries = {
  block: 'Refuse verifications of numbers with a prefix.',
  safe: 'Never block a prefix, nor longer ones of it.',
  monitor: 'Note that a prefix is watched, without refusing anything.',
} as const;

export const otpConversionCommands = [
  environmentCommand({
    name: 'otp-conversion report',
    summary: 'Show how many codes came back, by country, prefix, provider, carrier or account.',
    options: {
      by: { type: 'string', value: dimensionNames.join('|'), summary: 'what a row stands for (country)' },
      since: { type: 'string', value: 'TIME', summary: 'from this time on (the last 24 hours)' },
      until: { type: 'string', value: 'TIME', summary: 'up to this time (now)' },
      digits: { type: 'string', value: 'N', summary: 'digits that make a prefix, 1 to 6 (6)' },
    },
    run: async ({ env, values, printTable }) => {
      const now = env.clock.now().getTime();
      const found = await readConversion(env, {
        by: option('by', values.by, oneOf(...dimensionNames)) ?? 'country',
        since: timeOf('since', values.since) ?? new Date(now - 86_400_000),
        until: timeOf('until', values.until) ?? new Date(now + 1),
        digits: option('digits', values.digits, wholeNumber(1, 6)) ?? 6,
      });
      const rows = found.map((row) => [
        row.name ?? row.key ?? 'none',
        ...[row.starts, row.sent, row.verified, row.failed, row.open].map(String),
        row.conversion_percent === null ? '-' : `${row.conversion_percent} %`,
        row.sending_ms === null ? '-' : String(row.sending_ms),
      ]);
      const headings = ['FOR', 'STARTS', 'SENT', 'VERIFIED', 'FAILED', 'OPEN', 'CONVERSION', 'MS TO SEND'];
      printTable(headings, rows, 'Nothing was started in that time.');
    },
  }),
  ...(['block', 'safe', 'monitor'] as const).map((mode) =>
    environmentCommand({
      name: `otp-prefixes ${mode}`,
      summary: summaries[mode],
      positionals: ['DIGITS'],
      options: {
        ...reason,
        account: { type: 'string', value: 'ACCOUNT', summary: 'only for this account' },
        until: { type: 'string', value: 'TIME', summary: 'when it ends; never if left out' },
      },
      run: async ({ env, values, positionals: [prefix = ''], out }) => {
        const accountId = await accountIdOf(env, values.account);
        const until = timeOf('until', values.until);
        const decision = { prefix, mode, accountId, until, reason: values.reason ?? '' };
        out(`Decided: ${await decideOnPrefix(atCommandLine(env), decision)}.`);
      },
    }),
  ),
  environmentCommand({
    name: 'otp-prefixes list',
    summary: 'List what is decided about prefixes, with the reasons.',
    options: { all: { type: 'boolean', summary: 'also what was lifted or is over' } },
    run: async ({ env, values, printTable }) => {
      const query: [string, string][] = values.all ? [] : [['filter[is_in_force]', 'true']];
      const rows = (await lookUp(env, 'prefix_blocks', query)).map(({ id, attributes: a, relationships }) => [
        ...[
          id,
          a.prefix,
          a.mode,
          relationships.account?.data?.id ?? 'all',
          a.until ?? 'for ever',
          a.actor,
          a.reason,
        ].map(String),
      ]);
      printTable(
        ['ID', 'PREFIX', 'MODE', 'ACCOUNT', 'UNTIL', 'BY', 'WHY'],
        rows,
        'Nothing is decided about any prefix.',
      );
    },
  }),
  environmentCommand({
    name: 'otp-prefixes lift',
    summary: 'Lift a decision about a prefix; what came before does not count again.',
    positionals: ['ID'],
    options: reason,
    run: async ({ env, values, positionals: [id = ''], out }) => {
      const change = { lifted: true, reason: values.reason ?? '' };
      await changePrefixBlock(atCommandLine(env), argument('ID', id, lowerCaseUuid), change);
      out('Lifted.');
    },
  }),
];

const accountIdOf = async (env: Environment, wanted: string | undefined): Promise<string | null> =>
  wanted === undefined ? null : (await requireAccount(env, wanted)).id;
