/** `account top-up|credit|debit` and `ledger verify`: the balances of accounts, and the proof of the books. */
import { randomUUID } from 'node:crypto';
import { both, decimal, text, uuid } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { findAccount, requireAccount } from '../../business/accounts/accounts.ts';
import { parseAmount } from '../../business/money/decimal.ts';
import { verifyLedger } from '../../business/money/ledger-checks.ts';
import { atCommandLine } from '../../interfaces/operator/act.ts';
import { adjustBalance, topUp } from '../../interfaces/operator/adjustments.ts';
import { requireReason } from './change-command.ts';
import { argument, option } from './command.ts';
import { environmentCommand } from './open-environment.ts';
import { money } from './output.ts';

const adjustmentTexts = {
  credit: 'Correct the balance of an account upwards; a payment is a top-up.',
  debit: 'Take money from the balance of an account, below zero if need be.',
} as const;

export const ledgerCommands = [
  environmentCommand({
    name: 'account top-up',
    summary: 'Add money to the balance of an account, named by its name, e-mail address or id.',
    positionals: ['ACCOUNT', 'AMOUNT'],
    options: {
      reference: { type: 'string', value: 'UUID', summary: 'of the payment; the same one is booked only once' },
    },
    run: async ({ env, values, positionals: [wanted = '', amount = ''], out }) => {
      const account = await requireAccount(env, wanted);
      const booked = parseAmount(argument('AMOUNT', amount, amountAboveZero));
      const reference = option('reference', values.reference, uuid) ?? randomUUID();
      await topUp(atCommandLine(env), account.id, booked, reference);
      const after = await findAccount(env, account.id);
      out(`${account.name} has ${money(after?.balance ?? '0')} now.`);
    },
  }),
  ...(['credit', 'debit'] as const).map((kind) =>
    environmentCommand({
      name: `account ${kind}`,
      summary: adjustmentTexts[kind],
      positionals: ['ACCOUNT', 'AMOUNT'],
      options: { reason: { type: 'string', value: 'TEXT', summary: 'why; needed, and only operators see it' } },
      run: async ({ env, values, positionals: [wanted = '', amount = ''], out }) => {
        const reason = requireReason(values);
        const account = await requireAccount(env, wanted);
        const adjustment = { kind, amount: argument('AMOUNT', amount, amountAboveZero), reason };
        await adjustBalance(atCommandLine(env), account.id, adjustment);
        const after = await findAccount(env, account.id);
        out(`${account.name} has ${money(after?.balance ?? '0')} now.`);
      },
    }),
  ),
  environmentCommand({
    name: 'ledger verify',
    summary: 'Prove the books: balances, charges, owned numbers and channels. Fails when anything is off.',
    options: { json: { type: 'boolean', summary: 'print JSON' } },
    run: async ({ env, values, out }) => {
      const results = await verifyLedger(env.db);
      if (values.json) out(JSON.stringify(results));
      else {
        for (const { name, offences } of results) {
          out(`${offences.length === 0 ? 'ok ' : 'OFF'}  ${name}`);
          for (const offence of offences) out(`       ${JSON.stringify(offence)}`);
        }
      }
      const off = results.filter(({ offences }) => offences.length > 0).length;
      if (off > 0) throw new OperatorError(`${off} of ${results.length} checks found something wrong.`);
    },
  }),
];

const meaning = 'an amount above zero, such as 25 or 25.50';
const amountAboveZero = both(text(/[1-9]/, meaning), decimal(meaning));
