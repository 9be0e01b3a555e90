/** Sends the callback of an order that has left pending. */
import type { Kysely } from 'kysely';
import { scheduleCallback } from '../callbacks/schedule-callback.ts';
import type { Schema } from '../db/schema.ts';
import type { OrderStatus } from '../db/tables/orders.ts';
import type { Environment } from '../environment.ts';
import type { OrderCallback } from './insert-order.ts';

interface AnnouncedOrder extends OrderCallback {
  id: string;
  account_id: string;
  status: OrderStatus;
}

export async function announceOrder(trx: Kysely<Schema>, env: Environment, order: AnnouncedOrder): Promise<void> {
  if (order.callback_url === null || order.callback_method === null) return;
  await scheduleCallback(trx, env, {
    accountId: order.account_id,
    kind: 'orders',
    resourceId: order.id,
    url: order.callback_url,
    method: order.callback_method,
    payload: { id: order.id, type: 'orders', status: order.status },
    sealedSigningKey: order.sealed_signing_key,
  });
}
