/** Refunds of what an order charged: the whole rest of an item, or a part of it, with a reason. */
import { randomUUID } from 'node:crypto';
import { nameOf } from '../../../base/actor.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { noteRefund } from '../../../business/billing/charge-period.ts';
import { type Amount, parseAmount, timesRatio, toSql } from '../../../business/money/decimal.ts';
import { refund } from '../../../business/money/ledger.ts';
import { dateTime, decimal, integer, text } from '../../../engines/jsonapi/attributes.ts';
import { toOne } from '../../../engines/jsonapi/declare.ts';
import { anyId, anyOf } from '../../../engines/jsonapi/filters.ts';
import { type Acting, act } from '../act.ts';
import { actingOf, operatorType, refusing } from '../context.ts';
import { account, createdBetween, partOfText } from '../lookups/shared-filters.ts';

type NewRefund = {
  /** The item of the order, from 1. */
  position?: number;
  /** With VAT; all that is left of the item when left out. */
  amount?: string;
  reason: string;
};

export const refunds = operatorType('refunds', {
  group: 'Money',
  noun: 'refund',
  summary: 'Money of a completed order that an operator gave back.',
  attributes: {
    position: integer({ write: 'create', min: 1, doc: 'The item of the order, from 1 (1 if left out).' }),
    amount: decimal({ write: 'create', min: 0, doc: 'With VAT; all that is left of the item if left out.' }),
    vat: decimal({ doc: 'The VAT in it.' }),
    reason: text({ write: 'create', required: true, doc: 'Why; only operators see it.' }),
    actor: text({ doc: 'Who made it.' }),
    created_at: dateTime({ doc: 'When it was booked.' }),
  },
  relationships: {
    order: toOne('orders', { write: 'create', required: true, doc: 'What was charged.' }),
    account,
  },
  filters: {
    id: anyId('t.id'),
    actor: anyOf('t.actor'),
    reason_contains: partOfText('the reason', 't.reason'),
    'order.id': anyId('t.order_id'),
    'account.id': anyId('t.account_id'),
    ...createdBetween,
  },
  sort: ['created_at', 'amount'],
  defaultSort: '-created_at',
  create: (context, { attributes, relationships }) =>
    refusing(() => refundOrder(actingOf(context), relationships.order.id, attributes)),
});

/** Returns the refund's id. A pending order is canceled instead, which gives its hold back. */
export function refundOrder(acting: Acting, orderId: string, wanted: NewRefund): Promise<string> {
  const { position = 1, reason } = wanted;
  if (reason.trim() === '') throw new OperatorError('A refund needs a reason.');
  return act({ ...acting, reason }, async ({ db, clock }) => {
    const order = await db.selectFrom('orders').selectAll().where('id', '=', orderId).forUpdate().executeTakeFirst();
    if (order === undefined) throw new OperatorError(`There is no order ${orderId}.`);
    if (order.status !== 'completed') throw new OperatorError(`The order ${order.reference} is ${order.status}.`);
    const item = await db
      .selectFrom('order_items')
      .selectAll()
      .where('order_id', '=', orderId)
      .orderBy('position')
      .offset(position - 1)
      .limit(1)
      .executeTakeFirst();
    if (item === undefined) throw new OperatorError(`The order ${order.reference} has no item ${position}.`);
    const part = partOf(item, wanted.amount);
    const [id, at, accountId] = [randomUUID(), clock.now(), order.account_id];
    const price = { net: part.gross - part.vat, vat: part.vat, vatRate: order.vat_rate };
    await noteRefund(db, orderId, [{ position: item.position, price }]);
    await refund(db, { accountId, at, cause: 'refund', reference: orderId, occasion: id, orderId }, price);
    const booked = { amount: toSql(part.gross), vat: toSql(part.vat) };
    const row = { id, account_id: accountId, order_id: orderId, position, ...booked, reason, actor: nameOf(acting.by) };
    await db
      .insertInto('refunds')
      .values({ ...row, created_at: at })
      .execute();
    const after = { order: order.reference, position, ...booked };
    return { result: id, action: 'refund.created', accountId, subject: { type: 'refunds', id }, after };
  });
}

interface ChargedItem {
  qty: number;
  nrc: string;
  mrc: string;
  nrc_vat: string;
  mrc_vat: string;
  refunded: string;
  refunded_vat: string;
}

/** The part to give back, with its share of the VAT; the last part takes what is left of it. */
function partOf(item: ChargedItem, wanted: string | undefined): { gross: Amount; vat: Amount } {
  const qty = BigInt(item.qty);
  const left = qty * (parseAmount(item.nrc) + parseAmount(item.mrc)) - parseAmount(item.refunded);
  const leftVat = qty * (parseAmount(item.nrc_vat) + parseAmount(item.mrc_vat)) - parseAmount(item.refunded_vat);
  if (left <= 0n) throw new OperatorError('Nothing is left of this item to give back.');
  const gross = wanted === undefined ? left : parseAmount(wanted);
  if (gross <= 0n) throw new OperatorError('A refund is an amount above zero.');
  if (gross > left) throw new OperatorError(`Only ${toSql(left)} is left of this item.`);
  return { gross, vat: timesRatio(leftVat, gross, left, 1n) };
}
