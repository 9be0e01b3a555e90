/** Gives back whatever a purchase has left at the supplier: a reservation, an order, a number. */
import type { Outcome } from '../outcome.ts';
import type { Supplier, SupplierOrder } from '../supplier.ts';
import type { Purchase } from './states.ts';
import { allHeld, later, reservationKeyOf, type Step } from './steps.ts';

export async function undo(supplier: Supplier, purchase: Purchase): Promise<Step> {
  const order = await orderOf(supplier, purchase);
  if (order.kind !== 'done' && order.kind !== 'refused') return later(order);
  const stays = order.kind === 'done' && order.value !== null ? await undoOrder(supplier, purchase, order.value) : null;
  return stays ?? (await undoReservation(supplier, purchase)) ?? { kind: 'moved', to: 'undone', facts: {} };
}

/** Also one whose answer never came. */
async function orderOf(supplier: Supplier, { id, their_order_id }: Purchase): Promise<Outcome<SupplierOrder | null>> {
  if (their_order_id !== null) return supplier.order(their_order_id);
  const found = await supplier.ordersWith(id);
  return found.kind === 'done' ? { kind: 'done', value: found.value[0] ?? null } : found;
}

/** Returns null when nothing of the order is kept there. */
async function undoOrder(supplier: Supplier, purchase: Purchase, order: SupplierOrder): Promise<Step | null> {
  if (order.status === 'canceled') return null;
  if (order.status === 'pending') {
    const canceled = await supplier.cancelOrder(order.id);
    // Refused: it was completed a moment ago.
    return canceled.kind === 'done' ? null : later(canceled);
  }
  const held = await allHeld(supplier, order.id);
  if (held.kind !== 'done') return held.kind === 'refused' ? null : later(held);
  for (const did of held.value) {
    if (did.terminated || (purchase.number !== null && did.number !== purchase.number)) continue;
    const ended = await supplier.changeNumber(did.id, { terminated: true });
    const isGone = ended.kind === 'refused' && ended.status === 404;
    if (ended.kind !== 'done' && !isGone) return later(ended);
  }
  return null;
}

async function undoReservation(supplier: Supplier, purchase: Purchase): Promise<Step | null> {
  const { their_reservation_id: id } = purchase;
  const found =
    id === null
      ? await supplier.reservationsWith(reservationKeyOf(purchase))
      : { kind: 'done' as const, value: [{ id }] };
  if (found.kind !== 'done') return found.kind === 'refused' ? null : later(found);
  for (const { id } of found.value) {
    const released = await supplier.release(id);
    if (released.kind !== 'done' && released.kind !== 'refused') return later(released);
  }
  return null;
}
