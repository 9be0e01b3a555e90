/** Verifies the thousands-blocks against the numbers in stock, and rebuilds them. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';

interface BlockDifference {
  base: string;
  did_group_id: string;
  /** Numbers of this block in available_dids. */
  numbers: number;
  /** The count stored in the block. */
  available: number;
}

/** Returns blocks that differ from available_dids; must be empty. */
export async function verifyStockBlocks(db: Kysely<Schema>): Promise<BlockDifference[]> {
  const { rows } = await sql<BlockDifference>`
    with counted as (${counted})
    select coalesce(b.base, c.base) as base, coalesce(b.did_group_id, c.did_group_id) as did_group_id,
           coalesce(c.available, 0) as numbers, coalesce(b.available, 0) as available
    from stock_blocks b full join counted c on c.base = b.base and c.did_group_id = b.did_group_id
    where coalesce(b.available, 0) <> coalesce(c.available, 0)
       or coalesce(b.bits, B'0'::bit(1000)) <> coalesce(c.bits, B'0'::bit(1000))
       or (c.base is not null and b.nanpa_prefix_id is distinct from c.nanpa_prefix_id)
    order by 1, 2`.execute(db);
  return rows;
}

interface ShelfDifference {
  shelf: string;
  did_group_id: string;
  /** Numbers in the blocks of this shelf. */
  numbers: number;
  /** The count stored in the shelf and its changes. */
  available: number;
}

/** Returns shelves whose count differs from their blocks; must be empty. */
export async function verifyStockShelves(db: Kysely<Schema>): Promise<ShelfDifference[]> {
  const { rows } = await sql<ShelfDifference>`
    with changes as (select shelf, did_group_id, sum(change)::int as change from stock_shelf_changes group by 1, 2),
    counted as (select left(base, -1) as shelf, did_group_id, sum(available)::int as numbers from stock_blocks group by 1, 2)
    select shelf, did_group_id, coalesce(c.numbers, 0) as numbers, coalesce(s.available, 0) + coalesce(h.change, 0) as available
    from counted c full join stock_shelves s using (shelf, did_group_id) full join changes h using (shelf, did_group_id)
    where coalesce(c.numbers, 0) <> coalesce(s.available, 0) + coalesce(h.change, 0)
    order by 1, 2`.execute(db);
  return rows;
}

/** Rebuilds the blocks of the given groups, or of all, from available_dids. */
export async function rebuildStockBlocks(db: Kysely<Schema>, didGroupIds?: readonly string[]): Promise<void> {
  const these = didGroupIds ? sql`where did_group_id = any(${didGroupIds}::uuid[])` : sql``;
  await sql`delete from stock_blocks ${these}`.execute(db);
  await sql`insert into stock_blocks (base, did_group_id, nanpa_prefix_id, available, bits)
            ${didGroupIds ? sql`select * from (${counted}) c ${these}` : counted} order by 1, 2`.execute(db);
}

const counted = sql`
  select left(number, -3) as base, did_group_id, (array_agg(nanpa_prefix_id))[1] as nanpa_prefix_id,
         count(*)::int as available, bit_or(set_bit(B'0'::bit(1000), right(number, 3)::int, 1)) as bits
  from available_dids group by 1, 2`;
