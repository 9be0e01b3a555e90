/**
 * The life of what is bought at a supplier. A purchase is a row, and each state says what is asked for there next, so
 * that any process can go on after any other has died. Before a request is sent its beginning is stored; one that was
 * begun before is looked up by the purchase's key before it is sent again.
 *
 * | State       | What is done there                                | Then                                        |
 * |-------------|---------------------------------------------------|---------------------------------------------|
 * | `reserving` | the number is reserved                            | `reserved`, or `refused`                    |
 * | `reserved`  | nothing, until an order wants the number          | `ordering`; `reserving` if that took long   |
 * | `ordering`  | the reserved number, or so many, are ordered      | `ordered`, or `refused`                     |
 * | `ordered`   | their order is read until it has ended            | `obtained`, `delivered`, or `refused`       |
 * | `obtained`  | the number is ours there, and follows ours        | `undoing`, when it leaves its customer      |
 * | `delivered` | the numbers that they chose have rows of their own | it is over                                 |
 * | `refused`   | they said no; nothing of it is there              | it is over                                  |
 * | `undoing`   | whatever is there of it is given back             | `undone`                                    |
 * | `undone`    | nothing of it is there, or it ends with its period | it is over                                 |
 */
import type { Selectable } from 'kysely';
import type { SupplierPurchasesTable } from '../../../engines/db/tables/suppliers.ts';

export type Purchase = Selectable<SupplierPurchasesTable>;
export type PurchaseState = Purchase['state'];

/** In these something has to be done there. */
export const workingStates = [
  'reserving',
  'reserved',
  'ordering',
  'ordered',
  'undoing',
] as const satisfies readonly PurchaseState[];

/** What is learned of a purchase at its supplier. */
export type PurchaseFacts = Partial<
  Pick<
    Purchase,
    | 'their_reservation_id'
    | 'reserved_until'
    | 'their_order_id'
    | 'amount'
    | 'their_did_id'
    | 'expires_there'
    | 'life_there'
    | 'round'
  >
>;
