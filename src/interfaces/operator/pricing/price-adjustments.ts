/**
 * What a customer pays more or less than the list price, by product. Shown prices and charges both use it
 * (`adjusted_price`).
 */
import { nameOf } from '../../../base/actor.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { withConstraintErrors } from '../../../base/violated-constraint.ts';
import type { PriceAdjustmentsTable } from '../../../engines/db/tables/operators.ts';
import { dateTime, decimal, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { type Acting, act } from '../act.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { createdBetween } from '../lookups/shared-filters.ts';

export type Product = PriceAdjustmentsTable['product'];

export const productTexts: Readonly<Record<Product, string>> = {
  number_setup: 'The setup price of numbers.',
  number_monthly: 'The monthly price of numbers; later months use it too.',
  channel_setup: 'The setup price of channels.',
  channel_monthly: 'The monthly price of channels; later months use it too.',
  metered_minute: 'A minute on a metered channel.',
  emergency_setup: 'The setup price of new emergency services.',
  emergency_monthly: 'The monthly price of new emergency services.',
  termination: 'Outbound calls.',
  pstn_forwarding: 'Calls forwarded to the telephone network.',
  toll_free: 'Inbound calls to metered numbers.',
  cnam_lookup: "Look-ups of a caller's name.",
  verification: 'The fee of a verified number.',
  verification_message: 'A message or call with a code.',
};

/** Exactly one of both. */
type PriceChange = {
  percent?: string | null;
  fixed?: string | null;
};

const reason = text({ write: 'both', writeOnly: true, doc: 'Why; kept in the audit log.' });

export const priceAdjustments = operatorType('price_adjustments', {
  group: 'Money',
  noun: 'price adjustment',
  summary:
    'What a customer pays more or less than the list price. It holds from now on for what is shown and charged; prices that were set for the customer alone are not adjusted, and no price falls below zero.',
  attributes: {
    product: text({ write: 'create', required: true, values: productTexts, doc: 'What is sold.' }),
    percent: decimal({
      write: 'both',
      nullable: true,
      min: -100,
      max: 999,
      doc: 'Such as `-10` for a tenth less; a percentage of a call rate also applies to its connection fee.',
    }),
    fixed: decimal({
      write: 'both',
      nullable: true,
      min: -100_000,
      max: 100_000,
      doc: 'Added to the price of one unit: a number, a channel, a minute, a look-up, a code.',
    }),
    reason,
    actor: text({ doc: 'Who set it last.' }),
    created_at: dateTime({ doc: 'When it was made.' }),
    updated_at: dateTime({ doc: 'When it was changed last.' }),
  },
  relationships: { account: toOne('accounts', { write: 'create', required: true, doc: 'The customer.' }) },
  filters: {
    id: anyId('t.id'),
    product: anyOf('t.product', { values: productTexts }),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['product', 'created_at'],
  defaultSort: 'product',
  create: (context, { attributes, relationships }) =>
    refusing(() => {
      const { product, reason, ...change } = attributes;
      return addPriceAdjustment(actingOf(context, reason), relationships.account.id, product, change);
    }),
  update: (context, id, { attributes: { reason, ...change } }) =>
    refusing(() => changePriceAdjustment(actingOf(context, reason), id, change)),
  delete: (context, id) => refusing(() => removePriceAdjustment(actingOf(context), id)),
});

/** Returns its id. */
export function addPriceAdjustment(
  acting: Acting,
  accountId: string,
  product: Product,
  change: PriceChange,
): Promise<string> {
  const price = onlyOneOf(change);
  const taken = () => new OperatorError(`The price of ${product} is adjusted for this account already.`);
  return withConstraintErrors({ price_adjustments_product: taken }, () =>
    act(acting, async ({ db, clock }) => {
      const now = clock.now();
      const row = {
        account_id: accountId,
        product,
        ...price,
        actor: nameOf(acting.by),
        created_at: now,
        updated_at: now,
      };
      const { id } = await db.insertInto('price_adjustments').values(row).returning('id').executeTakeFirstOrThrow();
      return { result: id, ...about(accountId, id), after: { product, ...price } };
    }),
  );
}

export function changePriceAdjustment(acting: Acting, id: string, change: PriceChange): Promise<void> {
  return act(acting, async ({ db, clock }) => {
    const before = await db
      .selectFrom('price_adjustments')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (before === undefined) throw new OperatorError(`There is no price adjustment ${id}.`);
    const { account_id: accountId, product, percent, fixed } = before;
    const price = change.percent == null && change.fixed == null ? { percent, fixed } : onlyOneOf(change);
    await db
      .updateTable('price_adjustments')
      .set({ ...price, actor: nameOf(acting.by), updated_at: clock.now() })
      .where('id', '=', id)
      .execute();
    const after = { product, ...price };
    return { result: undefined, ...about(accountId, id), before: { product, percent, fixed }, after };
  });
}

export function removePriceAdjustment(acting: Acting, id: string): Promise<void> {
  return act(acting, async ({ db }) => {
    const row = await db.deleteFrom('price_adjustments').where('id', '=', id).returningAll().executeTakeFirst();
    if (row === undefined) throw new OperatorError(`There is no price adjustment ${id}.`);
    const { account_id: accountId, product, percent, fixed } = row;
    return { result: undefined, ...about(accountId, id), before: { product, percent, fixed } };
  });
}

function onlyOneOf({ percent = null, fixed = null }: PriceChange): { percent: string | null; fixed: string | null } {
  if ((percent === null) === (fixed === null)) {
    throw new OperatorError('A price is adjusted either by a percentage or by a fixed amount.');
  }
  return { percent, fixed };
}

const about = (accountId: string, id: string) =>
  ({ action: 'price_adjustment.changed', accountId, subject: { type: 'price_adjustments', id } }) as const;
