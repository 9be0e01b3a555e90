import type { Kysely } from 'kysely';
import { dayOf } from '../../billing/calendar.ts';
import { chargePeriod } from '../../billing/charge-period.ts';
import type { Schema } from '../../db/schema.ts';
import type { ChargeResult } from '../../money/ledger.ts';
import { free } from '../../money/taxed.ts';
import type { OwnedDid } from './owned-did.ts';

/** The orders that show the months of a number after its first, by what they are called. */
export const periodOrderOf = (cause: 'renewal' | 'restoration', number: string): string => `DID ${cause} ${number}`;

/** Charges one more month of a number, from `begins` to the number's next `expires_at`. */
export function chargeMonth(
  trx: Kysely<Schema>,
  did: OwnedDid,
  cause: 'renewal' | 'restoration',
  { begins, ends }: { begins: Date; ends: Date },
): Promise<ChargeResult> {
  return chargePeriod(trx, {
    accountId: did.account_id,
    at: begins,
    cause,
    reference: did.id,
    occasion: begins.toISOString(),
    order: { kind: 'generic', description: periodOrderOf(cause, did.number) },
    item: {
      type: 'generic_order_items',
      qty: 1,
      setup: free(did.monthlyPrice.vatRate),
      monthly: did.monthlyPrice,
      billed_from: dayOf(begins),
      billed_to: dayOf(ends),
    },
  });
}
