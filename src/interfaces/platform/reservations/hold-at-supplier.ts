/**
 * A reservation of a supplier's number is one there as well. It is made before ours, so that no transaction is open
 * meanwhile; ours lasts no longer than theirs.
 */
import { type Kysely, sql } from 'kysely';
import { isUuid } from '../../../base/uuid.ts';
import { queueStep } from '../../../business/suppliers/purchases/purchase-rows.ts';
import { dropShown } from '../../../business/suppliers/stock/mirror-numbers.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import { Overloaded } from '../../../engines/db/unavailable.ts';
import type { Environment } from '../../../engines/environment.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { advancePurchase } from '../orders/obtain-supplied.ts';

/** When a purchase is looked at whose request has not come to an end. */
const abandonedMs = 60_000;

/**
 * Reserves the number at its supplier, if it has one. Throws `Overloaded` if the supplier does not answer; one that
 * says no leaves nothing to reserve here either.
 */
export async function holdAtSupplier(context: PlatformContext, availableDidId: string): Promise<void> {
  const { env } = context;
  if (!isUuid(availableDidId) || !(await isSupplied(env, availableDidId))) return;
  const purchase = await beginHold(context, availableDidId);
  if (purchase === null) return;
  let goesOn = true;
  while (goesOn) goesOn = await advancePurchase(env, purchase.id);
  const { state, number } = await env.db
    .selectFrom('supplier_purchases')
    .select(['state', 'number'])
    .where('id', '=', purchase.id)
    .executeTakeFirstOrThrow();
  if (state === 'refused') {
    await dropShown(env.db, sql`n.number = ${number}`, env.clock.now());
  } else if (state === 'reserving') {
    await letGoAtSupplier(env.db, env, purchase.id);
    throw new Overloaded('the number cannot be reserved at the moment');
  }
}

async function isSupplied({ db }: Environment, availableDidId: string): Promise<boolean> {
  const found = await db
    .selectFrom('available_dids as a')
    .innerJoin('supplied_numbers as n', 'n.number', 'a.number')
    .select('a.id')
    .where('a.id', '=', availableDidId)
    .executeTakeFirst();
  return found !== undefined;
}

/** Null if there is nothing to ask for: the number is our own, or somebody holds it. */
async function beginHold(
  context: PlatformContext,
  availableDidId: string,
): Promise<{ id: string; supplier_id: string } | null> {
  const { env, now } = context;
  const { accountId, limits } = callerOf(context);
  return inTransaction(env.db, async (trx) => {
    const { rows } = await sql<{ id: string; supplier_id: string; is_held: boolean }>`
      insert into supplier_purchases as p
        (supplier_id, supplier_group_id, number, their_number_id, state, created_at, changed_at)
      select g.supplier_id, g.id, n.number, n.their_id, 'reserving', ${now}, ${now}
      from available_dids a join supplied_numbers n on n.number = a.number
        join supplier_groups g on g.id = n.supplier_group_id
      where a.id = ${availableDidId}
        and not exists (
          select from did_reservations r where r.available_did_id = a.id and r.expires_at > ${now})
        and ${limits.reservations} > (
          select count(*) from did_reservations r where r.account_id = ${accountId} and r.expires_at > ${now})
      on conflict (number)
        where number is not null and state in ('reserving', 'reserved', 'ordering', 'ordered', 'obtained')
        do update set changed_at = excluded.changed_at where p.order_id is null
      returning p.id, p.supplier_id, p.state = 'reserved' as is_held`.execute(trx);
    const [purchase] = rows;
    if (purchase === undefined || purchase.is_held) return null;
    await queueStep(trx, env, purchase, new Date(now.getTime() + abandonedMs));
    return purchase;
  });
}

/** Until when a number is held at its supplier; undefined for our own numbers, null if it is not held there. */
export async function heldUntil(
  trx: Kysely<Schema>,
  env: Environment,
  availableDidId: string,
): Promise<Date | null | undefined> {
  const { rows } = await sql<{ id: string | null; supplier_id: string; reserved_until: Date | null }>`
    select p.id, p.supplier_id, p.reserved_until
    from available_dids a join supplied_numbers n on n.number = a.number
      left join supplier_purchases p on p.number = n.number and p.state = 'reserved' and p.order_id is null
    where a.id = ${availableDidId}`.execute(trx);
  const [held] = rows;
  if (held === undefined) return undefined;
  if (held.id === null || held.reserved_until === null) return null;
  await queueStep(trx, env, { id: held.id, supplier_id: held.supplier_id }, held.reserved_until);
  return held.reserved_until;
}

/** Gives the reservation back there, unless an order has taken its number. */
async function letGoAtSupplier(db: Kysely<Schema>, env: Environment, purchaseId: string): Promise<void> {
  const given = await db
    .updateTable('supplier_purchases')
    .set({ state: 'undoing', begun: 0, changed_at: env.clock.now() })
    .where('id', '=', purchaseId)
    .where('order_id', 'is', null)
    .where('state', 'in', ['reserving', 'reserved'])
    .returning(['id', 'supplier_id'])
    .executeTakeFirst();
  if (given !== undefined) await queueStep(db, env, given);
}

/** The same by the number, when its reservation here is deleted. */
export async function letGoOfNumber(trx: Kysely<Schema>, env: Environment, number: string): Promise<void> {
  const held = await trx
    .selectFrom('supplier_purchases')
    .select('id')
    .where('number', '=', number)
    .where('order_id', 'is', null)
    .where('state', 'in', ['reserving', 'reserved'])
    .executeTakeFirst();
  if (held !== undefined) await letGoAtSupplier(trx, env, held.id);
}
