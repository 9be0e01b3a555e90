/** Corrections of a balance: credits and debits with a reason, booked in the ledger. */
import { randomUUID } from 'node:crypto';
import { nameOf } from '../../base/actor.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { withConstraintErrors } from '../../base/violated-constraint.ts';
import { type Amount, parseAmount, toSql } from '../../business/money/decimal.ts';
import { fund } from '../../business/money/ledger.ts';
import { dateTime, decimal, text } from '../../engines/jsonapi/attributes.ts';
import { toOne } from '../../engines/jsonapi/declare.ts';
import { anyId, anyOf, explained, since, until } from '../../engines/jsonapi/filters.ts';
import { type Acting, act } from './act.ts';
import { actingOf, operatorType, refusing } from './context.ts';
import { partOfText } from './lookups/shared-filters.ts';

const kinds = { credit: 'Adds to the balance.', debit: 'Takes from the balance, below zero if need be.' };

type NewAdjustment = {
  kind: keyof typeof kinds;
  /** A decimal string above zero. */
  amount: string;
  reason: string;
};

export const adjustments = operatorType('adjustments', {
  group: 'Money',
  noun: 'adjustment',
  summary: "An operator's correction of a balance.",
  attributes: {
    kind: text({ write: 'create', required: true, values: kinds, doc: 'In which direction.' }),
    amount: decimal({ write: 'create', required: true, min: 0, doc: 'Above zero, with up to four decimals.' }),
    reason: text({ write: 'create', required: true, doc: 'Why; only operators see it.' }),
    actor: text({ doc: 'Who made it.' }),
    created_at: dateTime({ doc: 'When it was booked.' }),
  },
  relationships: { account: toOne('accounts', { write: 'create', required: true, doc: 'Whose balance.' }) },
  filters: {
    id: anyId('t.id'),
    kind: anyOf('t.kind', { values: kinds }),
    actor: anyOf('t.actor'),
    reason_contains: partOfText('the reason', 't.reason'),
    'account.id': anyId('t.account_id'),
    created_at_gteq: explained('Booked at this time or later.', since('t.created_at')),
    created_at_lteq: explained('Booked at this time or earlier.', until('t.created_at')),
  },
  sort: ['created_at', 'amount'],
  defaultSort: '-created_at',
  create: (context, { attributes, relationships }) =>
    refusing(() => adjustBalance(actingOf(context), relationships.account.id, attributes)),
});

/** Returns the adjustment's id, which is the reference of its movement in the ledger. */
export function adjustBalance(acting: Acting, accountId: string, adjustment: NewAdjustment): Promise<string> {
  const { kind, reason } = adjustment;
  const amount = parseAmount(adjustment.amount);
  if (amount <= 0n) throw new OperatorError('An adjustment is an amount above zero.');
  if (reason.trim() === '') throw new OperatorError('An adjustment needs a reason.');
  return act({ ...acting, reason }, async ({ db, clock }) => {
    const [id, at] = [randomUUID(), clock.now()];
    const row = {
      id,
      account_id: accountId,
      kind,
      amount: toSql(amount),
      reason,
      actor: nameOf(acting.by),
      created_at: at,
    };
    await db.insertInto('adjustments').values(row).execute();
    await fund(db, { accountId, at, cause: 'adjustment', reference: id }, kind === 'credit' ? amount : -amount);
    const after = { kind, amount: toSql(amount) };
    return { result: id, action: 'adjustment.created', accountId, subject: { type: 'adjustments', id }, after };
  });
}

/** Books a payment; the same reference only once. */
export function topUp(acting: Acting, accountId: string, amount: Amount, reference: string): Promise<void> {
  const booked = () => new OperatorError('This payment has been booked already; nothing was changed.');
  return withConstraintErrors({ ledger_transactions_cause_reference_occasion_key: booked }, () =>
    act(acting, async ({ db, clock }) => {
      await fund(db, { accountId, at: clock.now(), cause: 'top_up', reference }, amount);
      return {
        result: undefined,
        action: 'account.topped_up',
        accountId,
        subject: { type: 'accounts', id: accountId },
        after: { amount: toSql(amount), reference },
      };
    }),
  );
}
