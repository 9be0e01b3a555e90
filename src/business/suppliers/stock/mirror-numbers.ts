/** Puts the numbers that a supplier shows on sale here, beside our own. An id stays while its number is shown. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { SupplierNumber } from '../supplier.ts';

interface SeenNumbers {
  readonly groupId: string;
  readonly supplierGroupId: string;
  readonly numbers: readonly SupplierNumber[];
  /** How many they have in all; null if these are a selection. */
  readonly total: number | null;
  readonly now: Date;
}

/** Leaves out what is sold, held back, bought already, or in our own stock. */
export function mirrorNumbers(db: Kysely<Schema>, seen: SeenNumbers): Promise<void> {
  const { groupId, supplierGroupId, numbers, total, now } = seen;
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<{ number: string; is_stocked: boolean }>`
      with seen as (
        select distinct on (number) s.* from unnest(
          ${numbers.map(({ number }) => number)}::text[], ${numbers.map(({ id }) => id)}::text[]) as s (number, their_id)
        where s.number ~ '^[1-9][0-9]{5,14}$'
      )
      insert into supplied_numbers as n (number, supplier_group_id, their_id, seen_at)
      select s.number, ${supplierGroupId}, s.their_id, ${now} from seen s
      where not exists (select from dids d where d.number = s.number)
        and not exists (select from held_numbers h where h.number = s.number)
        and not exists (select from available_dids a where a.number = s.number
          and not exists (select from supplied_numbers o where o.number = s.number))
      order by s.number
      on conflict (number) do update set their_id = excluded.their_id, seen_at = excluded.seen_at
        where n.supplier_group_id = excluded.supplier_group_id
      returning n.number, exists (select from available_dids a where a.number = n.number) as is_stocked
    `.execute(trx);
    const arrived = rows.filter(({ is_stocked }) => !is_stocked).map(({ number }) => number);
    if (arrived.length > 0) {
      await sql`
        insert into available_dids (number, did_group_id, nanpa_prefix_id)
        select n, ${groupId}::uuid, (
          select p.id from nanpa_prefixes p where n like '1%' and p.npa = substr(n, 2, 3) and p.nxx = substr(n, 5, 3))
        from unnest(${arrived}::text[]) n
        where not exists (select from dids d where d.number = n)
        order by n on conflict (number) do nothing
      `.execute(trx);
    }
    if (total === null) return;
    if (total === numbers.length) await dropUnseen(trx, supplierGroupId, now);
    await sql`update supplier_groups set stock = ${total}, looked_at = ${now} where id = ${supplierGroupId}`.execute(
      trx,
    );
  });
}

/** All that they have was read, so what was not seen in it is gone. */
async function dropUnseen(trx: Kysely<Schema>, supplierGroupId: string, now: Date): Promise<void> {
  await dropShown(trx, sql`n.supplier_group_id = ${supplierGroupId} and n.seen_at < ${now}`, now);
}

/** Takes numbers that match off the shelf, except those that a customer has reserved; `n` is the shown number. */
export async function dropShown(trx: Kysely<Schema>, where: ReturnType<typeof sql>, now: Date): Promise<void> {
  // The shelf is locked first, as a sale does.
  await sql`
    with gone as (
      select a.id, n.number from supplied_numbers n join available_dids a on a.number = n.number
      where ${where} and not exists (select from did_reservations r where r.number = n.number and r.expires_at > ${now})
      order by a.number for update of a skip locked
    ), taken as (
      delete from available_dids a using gone where a.id = gone.id
    )
    delete from supplied_numbers n using gone where n.number = gone.number
  `.execute(trx);
  await sql`
    delete from supplied_numbers n where ${where} and not exists (select from available_dids a where a.number = n.number)
  `.execute(trx);
}
