/**
 * Compares the numbers that a supplier holds for us with those that are sold here. What it says of a number is noted
 * with its purchase; a number that only one side has is a difference, which an operator settles: nothing is taken from
 * a customer because of a list.
 */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { openSupplier } from '../open-supplier.ts';
import type { Outcome } from '../outcome.ts';
import type { HeldNumber, Supplier } from '../supplier.ts';

interface Comparison {
  readonly notHere: number;
  readonly notThere: number;
  /** Numbers of customers that the supplier says something new of. */
  readonly changed: readonly ChangedNumber[];
}

/** What the supplier has done by itself. */
export interface ChangedNumber {
  readonly number: string;
  readonly orderId: string;
  /** It has ended the number, or lets no calls through, or does again. */
  readonly what: 'ended' | 'blocked' | 'unblocked';
}

type Follow = (trx: Kysely<Schema>, changed: ChangedNumber) => Promise<void>;

/** `follow` is called for each number that the supplier has changed, in the transaction that notes it. */
export async function compareSupplier(
  env: Environment,
  supplierId: string,
  follow: Follow,
): Promise<Outcome<Comparison>> {
  const began = env.clock.now();
  const held = await everythingHeld(await openSupplier(env, supplierId));
  if (held.kind !== 'done') return held;
  const value = await inTransaction(env.db, async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtext('supplier books'), hashtext(${supplierId}))`.execute(trx);
    const compared = await settle(trx, supplierId, held.value, began, env.clock.now());
    for (const changed of compared.changed) await follow(trx, changed);
    return compared;
  });
  return { kind: 'done', value };
}

const pageSize = 100;

async function everythingHeld(supplier: Supplier): Promise<Outcome<HeldNumber[]>> {
  const all = new Map<string, HeldNumber>();
  for (let number = 1; ; number++) {
    const page = await supplier.heldNumbers({}, { number, size: pageSize });
    if (page.kind !== 'done') return page;
    for (const held of page.value.items) all.set(held.id, held);
    if (page.value.items.length < pageSize) return { kind: 'done', value: [...all.values()] };
  }
}

async function settle(
  trx: Kysely<Schema>,
  supplierId: string,
  held: readonly HeldNumber[],
  began: Date,
  now: Date,
): Promise<Comparison> {
  const rows = held.map(({ id, number, blocked, terminated, awaitingRegistration, expiresAt }) => ({
    ...{ id, number, terminated, expires_at: expiresAt },
    blocked: (blocked || awaitingRegistration) && !terminated,
  }));
  const there = sql`json_to_recordset(${JSON.stringify(rows)}::json)
    as h (id text, number text, terminated boolean, blocked boolean, expires_at timestamptz)`;
  const { rows: changed } = await sql<ChangedNumber>`
    with found as (
      select p.id, p.number, p.order_id, h.*, p.blocked_there as was_blocked,
        h.terminated and p.life_there <> 'stops' and p.life <> 'stops' as has_ended
      from supplier_purchases p join (select id as did_id, number as did_number, terminated, blocked, expires_at from ${there}) h
        on h.did_id = p.their_did_id
      where p.supplier_id = ${supplierId} and p.state = 'obtained'
      for update of p
    ), noted as (
      update supplier_purchases p
      set found_at = ${now}, expires_there = f.expires_at, blocked_there = f.blocked,
          life = case when f.has_ended then 'stops' else p.life end,
          life_there = case when f.has_ended then 'stops' else p.life_there end
      from found f where p.id = f.id
    )
    select number, order_id as "orderId",
      case when has_ended then 'ended' when blocked then 'blocked' else 'unblocked' end as what
    from found where order_id is not null and (has_ended or blocked <> was_blocked)`.execute(trx);
  await sql`delete from supplier_differences where supplier_id = ${supplierId}`.execute(trx);
  // What was bought or given back while the list was read is left to the next comparison.
  const { rows: differences } = await sql<{ kind: string }>`
    insert into supplier_differences (supplier_id, kind, number, their_did_id, purchase_id, found_at)
    select distinct on (d.number) ${supplierId}, d.kind, d.number, d.their_did_id, d.purchase_id, ${now}
    from (
      select 'not_here' as kind, h.number, h.id as their_did_id, null::uuid as purchase_id from ${there}
      where not h.terminated and not exists (
        select from supplier_purchases p where p.supplier_id = ${supplierId} and (
          (p.number = h.number and (p.state in ('reserving', 'reserved', 'ordering', 'ordered', 'obtained', 'undoing')
            or p.changed_at >= ${began}))
          -- Numbers that they have chosen, of an order that is not over.
          or (p.number is null and p.state in ('ordering', 'ordered', 'undoing'))))
      union all
      select 'not_there', p.number, p.their_did_id, p.id from supplier_purchases p
      where p.supplier_id = ${supplierId} and p.state = 'obtained' and p.life <> 'stops' and p.changed_at < ${began}
        and not exists (select from ${there} where h.id = p.their_did_id)
    ) d order by d.number, d.kind
    returning kind`.execute(trx);
  const notHere = differences.filter(({ kind }) => kind === 'not_here').length;
  return { notHere, notThere: differences.length - notHere, changed };
}
