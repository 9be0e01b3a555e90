/** What a step of a purchase may come to, and what steps have in common. */
import type { NotDone, Outcome } from '../outcome.ts';
import type { HeldNumber, Supplier } from '../supplier.ts';
import type { Purchase, PurchaseFacts, PurchaseState } from './states.ts';

export type Step =
  | {
      readonly kind: 'moved';
      readonly to: PurchaseState;
      readonly facts: PurchaseFacts;
      /** The numbers that a supplier chose. */
      readonly numbers?: readonly HeldNumber[];
    }
  | { readonly kind: 'refused'; readonly reason: string; readonly blame: Blame }
  /** Not known yet, or not over: look again. */
  | { readonly kind: 'later'; readonly until: Date | null; readonly reason: string | null }
  /** Nothing is to be done until somebody wants something. */
  | { readonly kind: 'rest' };

/** What stands in the way: this number or offer, of which there may be others, or our account there. */
export type Blame = 'number' | 'account';

/** The key of everything that is asked for once in this purchase. */
export const reservationKeyOf = ({ id, round }: Pick<Purchase, 'id' | 'round'>): string =>
  round === 0 ? id : `${id}.${round}`;

const pageSize = 100;

/** The numbers there that an order of ours has brought. */
export async function allHeld(supplier: Supplier, orderId: string): Promise<Outcome<readonly HeldNumber[]>> {
  const all: HeldNumber[] = [];
  for (let number = 1; ; number++) {
    const page = await supplier.heldNumbers({ orderId }, { number, size: pageSize });
    if (page.kind !== 'done') return page;
    all.push(...page.value.items);
    if (page.value.items.length < pageSize) return { kind: 'done', value: all };
  }
}

/** What is not known is asked for again; what was refused is not, unless the supplier says so. */
export function later(outcome: NotDone): Step {
  return { kind: 'later', until: outcome.kind === 'limited' ? outcome.until : null, reason: outcome.text };
}
