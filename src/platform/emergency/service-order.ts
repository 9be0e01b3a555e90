/** Charges a month of an emergency calling service, with the order that shows the charge. */
import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { chargePeriod } from '../../billing/charge-period.ts';
import type { OrderCallback } from '../../billing/insert-order.ts';
import { announceOrder } from '../../billing/insert-order.ts';
import { listPrice } from '../../billing/vat.ts';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';
import { free, parseAmount } from '../../money/decimal.ts';

export interface ServiceMonth {
  service: Pick<
    Selectable<Schema['emergency_calling_services']>,
    'id' | 'account_id' | 'setup_price' | 'monthly_price'
  >;
  /** The number of numbers to charge for. */
  qty: number;
  from: string;
  to: string;
  at: Date;
  /** The first month includes the setup price. */
  first: boolean;
  callback: OrderCallback;
}

/** Returns the order's id, or null if the customer cannot pay; the caller then rolls back everything, also the callback. */
export async function chargeMonth(trx: Kysely<Schema>, env: Environment, month: ServiceMonth): Promise<string | null> {
  const { service, qty, from, to, at, first, callback } = month;
  const { vat_rate } = await trx
    .selectFrom('accounts')
    .select('vat_rate')
    .where('id', '=', service.account_id)
    .executeTakeFirstOrThrow();
  const id = randomUUID();
  // Before the charge, because the account's row is always locked last.
  await announceOrder(trx, env, { id, account_id: service.account_id, status: 'completed', ...callback });
  const paid = await chargePeriod(trx, {
    accountId: service.account_id,
    at,
    cause: first ? 'emergency' : 'emergency_renewal',
    reference: service.id,
    occasion: from,
    order: { id, kind: 'emergency', description: 'Emergency', callback },
    item: {
      type: 'emergency_order_items',
      qty,
      setup: first ? listPrice(parseAmount(service.setup_price), vat_rate) : free(vat_rate),
      monthly: listPrice(parseAmount(service.monthly_price), vat_rate),
      billed_from: from,
      billed_to: to,
      emergency_calling_service_id: service.id,
    },
  });
  return paid.ok ? id : null;
}
