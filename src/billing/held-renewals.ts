/** Renewals that wait: an operator may suspend an account in such a way that nothing of it is renewed meanwhile. */
import type { Kysely } from 'kysely';
import type { Schema } from '../db/schema.ts';

export async function areRenewalsHeld(trx: Kysely<Schema>, accountId: string): Promise<boolean> {
  const row = await trx.selectFrom('accounts').select('renewals_held').where('id', '=', accountId).executeTakeFirst();
  return row?.renewals_held === true;
}
