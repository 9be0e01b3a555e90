/** The billed month that items of orders show; it starts when the numbers can be used. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import { dayOf, monthsLater } from './calendar.ts';

/** Sets the month of numbers that an approved verification has released; an item's first released number starts it. */
export async function billReleasedNumbers(trx: Kysely<Schema>, verificationId: string, now: Date): Promise<void> {
  const { from, to } = oneMonthOf(now);
  await sql`
    update order_items i set billed_from = ${from}::date, billed_to = ${to}::date
    from dids d join address_verification_dids l on l.did_id = d.id
    where l.address_verification_id = ${verificationId} and not d.awaiting_registration
      and i.order_id = d.order_id and i.position = d.order_position and i.billed_from is null
  `.execute(trx);
}

/** The first month of a number as its order shows it. */
export function oneMonthOf(now: Date): { from: string; to: string } {
  const from = dayOf(now);
  return { from, to: monthsLater(from, 1) };
}
