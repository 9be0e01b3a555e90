/** `risk …`: classes of destinations that are used for fraud, and what accounts may spend on them in a day. */
import { requireAccount } from '../../business/accounts/accounts.ts';
import { listPrefixRisks, listRiskLimits, riskClasses } from '../../business/voice/risks.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { changePrefixRisk } from '../../interfaces/operator/risks/destination-risks.ts';
import { changeRiskLimit, removeLimit } from '../../interfaces/operator/risks/risk-limits.ts';
import { reasonOption } from './change-command.ts';
import type { Command } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { money, shown } from './output.ts';

const classes = `CLASS is one of ${riskClasses.join(', ')}.`;

export const riskCommands: readonly Command[] = [
  environmentCommand({
    name: 'risk list',
    summary: 'List the prefixes of risk classes, and the daily limits of the classes.',
    options: { limits: { type: 'boolean', summary: 'the limits only' } },
    run: async ({ env, values, printTable }) => {
      const limits = (await listRiskLimits(env)).map(({ risk, daily_limit, account_name }) => [
        risk,
        daily_limit === null ? 'none' : money(daily_limit),
        account_name ?? 'everyone',
      ]);
      printTable(['CLASS', 'A DAY', 'FOR'], limits, 'There are no limits.');
      if (values.limits === true) return;
      const prefixes = (await listPrefixRisks(env)).map(({ prefix, risk, note }) => [prefix, risk, note ?? '']);
      printTable(['PREFIX', 'CLASS', 'NOTE'], prefixes, 'There are no prefixes.');
    },
  }),
  {
    ...environmentCommand({
      name: 'risk prefix',
      summary: 'Say which class numbers with these first digits belong to.',
      positionals: ['PREFIX', 'CLASS'],
      options: { ...reasonOption, note: { type: 'string', value: 'TEXT', summary: 'which destinations these are' } },
      notes: `${classes} The longest prefix of a number counts. "none" as CLASS removes the prefix.`,
      run: async ({ env, values, positionals: [prefix = '', risk = ''], out }) => {
        const given = { prefix, risk: risk === 'none' ? null : risk, note: values.note ?? null };
        await changePrefixRisk(atCommandLine(env, values.reason), given);
        out(risk === 'none' ? `${prefix} is in no class.` : `${prefix} is ${risk}.`);
      },
    }),
    audits: 'destination_risk.changed',
  },
  {
    ...environmentCommand({
      name: 'risk limit',
      summary: 'Set what may be spent in a day on a class of destinations.',
      positionals: ['CLASS', 'AMOUNT'],
      options: {
        ...reasonOption,
        account: { type: 'string', value: 'ACCOUNT', summary: 'for this account only' },
      },
      notes: `${classes} AMOUNT is an amount, VAT included, or "none" for no limit; with --account also "default", the limit of everyone.`,
      run: async ({ env, values, positionals: [risk = '', amount = ''], out }) => {
        const account = values.account === undefined ? null : await requireAccount(env, values.account);
        const acting = atCommandLine(env, values.reason);
        const limit = amount === 'none' ? null : amount;
        if (amount === 'default') await removeLimit(acting, risk, account?.id ?? null);
        else await changeRiskLimit(acting, { risk, limit, accountId: account?.id ?? null });
        out(`${risk} for ${account?.name ?? 'everyone'}: ${shown(amount)} a day.`);
      },
    }),
    audits: 'risk_limit.changed',
  },
];
