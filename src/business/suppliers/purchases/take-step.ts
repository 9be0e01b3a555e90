/**
 * One step of a purchase: asks the supplier for what its state says, and returns what came of it. Stores nothing. Every
 * step may be taken again, whatever became of the one before.
 */
import type { NotDone } from '../outcome.ts';
import type { Supplier, SupplierOrder } from '../supplier.ts';
import type { Purchase } from './states.ts';
import { allHeld, type Blame, later, reservationKeyOf, type Step } from './steps.ts';
import { undo } from './undo.ts';

export async function takeStep(supplier: Supplier, purchase: Purchase, now: Date): Promise<Step> {
  switch (purchase.state) {
    case 'reserving':
      return reserve(supplier, purchase);
    case 'reserved':
      return useReservation(purchase, now);
    case 'ordering':
      return order(supplier, purchase, now);
    case 'ordered':
      return awaitOrder(supplier, purchase);
    case 'undoing':
      return undo(supplier, purchase);
    default:
      return { kind: 'rest' };
  }
}

async function reserve(supplier: Supplier, purchase: Purchase): Promise<Step> {
  const key = reservationKeyOf(purchase);
  const found = async () => {
    const made = await supplier.reservationsWith(key);
    if (made.kind !== 'done') return later(made);
    const [reservation] = made.value;
    return reservation === undefined ? null : reserved(reservation);
  };
  if (purchase.begun > 1) {
    const earlier = await found();
    if (earlier !== null) return earlier;
  }
  const made = await supplier.reserve(purchase.their_number_id ?? '', key);
  if (made.kind === 'done') return reserved(made.value);
  if (made.kind !== 'refused') return later(made);
  // Perhaps by our own request, which was answered too late for us.
  return (purchase.begun > 1 ? await found() : null) ?? refusedFor(made);
}

const reserved = ({ id, expiresAt }: { id: string; expiresAt: Date }): Step => ({
  kind: 'moved',
  to: 'reserved',
  facts: { their_reservation_id: id, reserved_until: expiresAt },
});

/** Too short to order with. */
const leastLeftMs = 5_000;

function useReservation({ order_id, reserved_until, round }: Purchase, now: Date): Step {
  if (order_id === null) return { kind: 'rest' };
  const isOver = reserved_until !== null && reserved_until.getTime() - now.getTime() < leastLeftMs;
  if (isOver) return { kind: 'moved', to: 'reserving', facts: { round: round + 1, their_reservation_id: null } };
  return { kind: 'moved', to: 'ordering', facts: {} };
}

async function order(supplier: Supplier, purchase: Purchase, now: Date): Promise<Step> {
  const { id, their_offer_id: offerId, their_reservation_id: reservationId } = purchase;
  if (offerId === null) return { kind: 'refused', reason: 'the supplier has no such offer any more', blame: 'account' };
  const found = async () => {
    const made = await supplier.ordersWith(id);
    if (made.kind !== 'done') return later(made);
    const [first] = made.value;
    return first === undefined ? null : ordered(first);
  };
  if (purchase.begun > 1) {
    const earlier = await found();
    if (earlier !== null) return earlier;
  }
  const what = reservationId === null ? { quantity: purchase.qty } : { reservationId };
  const allowsBackOrder = purchase.allows_back_order;
  const made = await supplier.placeOrder(
    { items: [{ offerId, ...what }], reference: id, callbackUrl: null, allowsBackOrder },
    `${id}/order`,
  );
  if (made.kind === 'done') return ordered(made.value);
  if (made.kind !== 'refused') return later(made);
  const earlier = purchase.begun > 1 ? await found() : null;
  if (earlier !== null) return earlier;
  const hasRunOut = purchase.reserved_until !== null && purchase.reserved_until <= now;
  if (reservationId !== null && hasRunOut) {
    return { kind: 'moved', to: 'reserving', facts: { round: purchase.round + 1, their_reservation_id: null } };
  }
  return refusedFor(made);
}

const ordered = ({ id, amount }: SupplierOrder): Step => ({
  kind: 'moved',
  to: 'ordered',
  facts: { their_order_id: id, amount },
});

async function awaitOrder(supplier: Supplier, purchase: Purchase): Promise<Step> {
  const orderId = purchase.their_order_id ?? '';
  const read = await supplier.order(orderId);
  if (read.kind === 'refused') return { kind: 'refused', reason: read.text, blame: blameOf(read.status) };
  if (read.kind !== 'done') return later(read);
  switch (read.value.status) {
    case 'pending':
      return { kind: 'later', until: null, reason: null };
    case 'canceled':
      return { kind: 'refused', reason: 'the supplier has canceled its order', blame: 'number' };
    default:
      return numbersOf(supplier, purchase, orderId);
  }
}

async function numbersOf(supplier: Supplier, purchase: Purchase, orderId: string): Promise<Step> {
  const held = await allHeld(supplier, orderId);
  if (held.kind !== 'done') return later(held);
  if (purchase.number === null) {
    return held.value.length < purchase.qty
      ? { kind: 'later', until: null, reason: 'the supplier shows fewer numbers than it has sold' }
      : { kind: 'moved', to: 'delivered', facts: {}, numbers: held.value };
  }
  const did = held.value.find(({ number }) => number === purchase.number);
  if (did === undefined)
    return { kind: 'later', until: null, reason: 'the supplier does not show the number it has sold' };
  return { kind: 'moved', to: 'obtained', facts: { their_did_id: did.id, expires_there: did.expiresAt } };
}

function refusedFor(outcome: Extract<NotDone, { kind: 'refused' }>): Step {
  return { kind: 'refused', reason: outcome.text, blame: blameOf(outcome.status) };
}

/** 400 says that the balance there is too low. */
const blameOf = (status: number): Blame => (status === 404 || status === 422 ? 'number' : 'account');
