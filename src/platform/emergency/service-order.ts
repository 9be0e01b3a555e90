/** Charges a month of an emergency service, and writes the order that shows it. */
import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';
import { formatTrimmed, parseAmount, toSql } from '../../money/decimal.ts';
import { charge } from '../../money/ledger.ts';
import { withVat } from '../../money/prices.ts';
import { announceOrder } from '../orders/announce-order.ts';
import { insertOrder } from '../orders/insert-order.ts';

export interface ServiceMonth {
  service: Pick<
    Selectable<Schema['emergency_calling_services']>,
    'id' | 'account_id' | 'setup_price' | 'monthly_price'
  >;
  /** How many numbers are paid for. */
  qty: number;
  from: string;
  to: string;
  at: Date;
  /** The first month also carries the setup. */
  first: boolean;
  callback: Pick<Selectable<Schema['orders']>, 'callback_url' | 'callback_method' | 'sealed_signing_key'>;
}

/** The order's id, or null when the customer cannot pay. */
export async function chargeMonth(trx: Kysely<Schema>, env: Environment, month: ServiceMonth): Promise<string | null> {
  const { service, qty, from, at, first } = month;
  const { vat_rate } = await trx
    .selectFrom('accounts')
    .select('vat_rate')
    .where('id', '=', service.account_id)
    .executeTakeFirstOrThrow();
  const nrc = first ? withVat(parseAmount(service.setup_price), vat_rate) : 0n;
  const mrc = withVat(parseAmount(service.monthly_price), vat_rate);
  const amount = BigInt(qty) * (nrc + mrc);
  const orderId = randomUUID();
  const order = {
    id: orderId,
    account_id: service.account_id,
    kind: 'emergency',
    description: 'Emergency',
    amount,
    status: 'completed',
    ...month.callback,
    external_reference_id: null,
    created_at: at,
    finished_at: at,
  } as const;
  await insertOrder(trx, order, [
    {
      type: 'emergency_order_items',
      qty,
      nrc: toSql(nrc),
      mrc: toSql(mrc),
      billed_from: from,
      billed_to: month.to,
      emergency_calling_service_id: service.id,
      did_group_id: null,
      sku_id: null,
      nanpa_prefix_id: null,
      billing_cycles_count: null,
      capacity_pool_id: null,
    },
  ]);
  await announceOrder(trx, env, order);
  // Last, since the account's row is the last lock of all.
  const paid = await charge(trx, {
    accountId: service.account_id,
    amount: formatTrimmed(amount),
    at,
    orderId,
    cause: first ? 'emergency' : 'emergency_renewal',
    reference: service.id,
    occasion: from,
  });
  return paid.ok ? orderId : null;
}
