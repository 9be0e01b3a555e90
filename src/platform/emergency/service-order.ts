/** A month of an emergency service, and the order that shows it. */
import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { announceOrder } from '../../billing/announce-order.ts';
import { chargePeriod } from '../../billing/charge-period.ts';
import type { OrderCallback } from '../../billing/insert-order.ts';
import { listPrice } from '../../billing/vat.ts';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';
import { parseAmount } from '../../money/decimal.ts';
import { free } from '../../money/taxed.ts';

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
  callback: OrderCallback;
}

/** Returns the order's id, or null when the customer cannot pay; the caller then rolls back, the callback included. */
export async function chargeMonth(trx: Kysely<Schema>, env: Environment, month: ServiceMonth): Promise<string | null> {
  const { service, qty, from, to, at, first, callback } = month;
  const { vat_rate } = await trx
    .selectFrom('accounts')
    .select('vat_rate')
    .where('id', '=', service.account_id)
    .executeTakeFirstOrThrow();
  const id = randomUUID();
  // Before the charge, since the account's row is the last lock of all.
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
