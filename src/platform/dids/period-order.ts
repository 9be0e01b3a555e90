import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import { type Amount, formatTrimmed, parseAmount, toSql } from '../../money/decimal.ts';
import { withVat } from '../../money/prices.ts';
import { insertOrder } from '../orders/insert-order.ts';
import { oneMonthOf } from './billing-period.ts';
import type { OwnedDid } from './owned-did.ts';

/** One more month of a number: what it costs, and the order by which the customer sees it. */
export interface ChargedPeriod {
  accountId: string;
  orderId: string;
  begins: Date;
  price: Amount;
  movement: { accountId: string; amount: string; at: Date; orderId: string };
}

export function chargedPeriod(did: OwnedDid, begins: Date): ChargedPeriod {
  const price = withVat(parseAmount(did.monthly_price), did.vat_rate);
  const orderId = randomUUID();
  const movement = { accountId: did.account_id, amount: formatTrimmed(price), at: begins, orderId };
  return { accountId: did.account_id, orderId, begins, price, movement };
}

export async function insertPeriodOrder(
  trx: Kysely<Schema>,
  period: ChargedPeriod,
  description: string,
): Promise<void> {
  const { from, to } = oneMonthOf(period.begins);
  await insertOrder(
    trx,
    {
      id: period.orderId,
      account_id: period.accountId,
      kind: 'generic',
      description,
      status: 'completed',
      amount: period.price,
      callback_url: null,
      callback_method: null,
      external_reference_id: null,
      sealed_signing_key: null,
      created_at: period.begins,
      finished_at: period.begins,
    },
    [
      {
        type: 'generic_order_items',
        qty: 1,
        nrc: '0',
        mrc: toSql(period.price),
        billed_from: from,
        billed_to: to,
        did_group_id: null,
        sku_id: null,
        nanpa_prefix_id: null,
        billing_cycles_count: null,
        capacity_pool_id: null,
        emergency_calling_service_id: null,
      },
    ],
  );
}
