/** The statements that take numbers out of stock, put them back and move them between groups. */
import { type RawBuilder, sql } from 'kysely';
import { OperatorError } from '../../../base/operator-error.ts';
import { dialPrefix } from '../../../business/catalogue/rows.ts';
import type { HeldNumbersTable } from '../../../engines/db/tables/operators.ts';
import type { Environment } from '../../../engines/environment.ts';

/** Which numbers: all conditions that are not null must hold. */
export interface Chosen {
  numbers: readonly string[] | null;
  numberPrefix: string | null;
  groupId: string | null;
}

const mostAtOnce = 100_000;

interface Holding {
  state: HeldNumbersTable['state'];
  until: Date | null;
  reason: string;
  actor: string;
}

/** `owned`: numbers of the list that customers own, which are held when they come back. */
export async function takeOut(
  env: Environment,
  chosen: Chosen,
  holding: Holding,
): Promise<{ count: number; owned: number; left: number }> {
  const { state, until, reason, actor } = holding;
  const held = sql`${state}, ${until}::timestamptz, ${reason}, ${actor}, ${env.clock.now()}::timestamptz`;
  // First the owned ones: a number that returns to stock meanwhile waits for this row and then finds itself held.
  const owned = await sql`
    with owned as (
      select number, did_group_id, nanpa_prefix_id from dids where number = any (${chosen.numbers ?? []}::text[])
      order by id for update
    )
    insert into held_numbers (number, did_group_id, nanpa_prefix_id, state, until, reason, actor, created_at)
    select owned.*, ${held} from owned on conflict do nothing returning number`.execute(env.db);
  const { taken, left } = await takeFromStock(env, chosen);
  await sql`
    insert into held_numbers (number, did_group_id, nanpa_prefix_id, state, until, reason, actor, created_at)
    select n.*, ${held} from ${asTable(taken)} as n (number, did_group_id, nanpa_prefix_id)`.execute(env.db);
  return { count: taken.length, owned: owned.rows.length, left };
}

/** Returns how many numbers are held no more; those that nobody owns are in stock again. */
export async function putBack({ db }: Environment, which: RawBuilder<unknown>): Promise<number> {
  // An owner's number is locked first: it either returns to stock before this, or finds itself free after it.
  await sql`select from dids d join held_numbers h using (number) where ${which} order by d.id for update of d`.execute(
    db,
  );
  const { rows } = await sql<StockRow>`
    delete from held_numbers h where h.number in (select h.number from held_numbers h where ${which} limit ${mostAtOnce})
    returning h.number, h.did_group_id, h.nanpa_prefix_id`.execute(db);
  await sql`
    insert into available_dids (number, did_group_id, nanpa_prefix_id)
    select n.* from ${asTable(rows)} as n (number, did_group_id, nanpa_prefix_id)
    where not exists (select from dids d where d.number = n.number) order by n.number`.execute(db);
  return rows.length;
}

/** Numbers keep their ids. A group takes only numbers that begin with its dialling code and prefix. */
export async function moveNumbers(
  env: Environment,
  chosen: Chosen,
  targetGroupId: string,
): Promise<{ count: number; left: number }> {
  const target = await env.db
    .selectFrom('did_groups as g')
    .innerJoin('countries as c', 'c.id', 'g.country_id')
    .select(['g.prefix', 'c.prefix as code'])
    .where('g.id', '=', targetGroupId)
    .executeTakeFirst();
  if (target === undefined) throw new OperatorError(`There is no group ${targetGroupId}.`);
  const start = dialPrefix(target.code ?? '', target.prefix);
  const { taken, left } = await takeFromStock(env, chosen);
  const stranger = taken.find(({ number }) => !number.startsWith(start));
  if (stranger !== undefined) {
    throw new OperatorError(`${stranger.number} does not begin with ${start}, as numbers of that group do.`);
  }
  await sql`
    insert into did_group_nanpa_prefixes (did_group_id, nanpa_prefix_id)
    select distinct ${targetGroupId}::uuid, n.prefix from ${asTable(taken)} as n (number, did_group_id, prefix)
    where n.prefix is not null on conflict do nothing`.execute(env.db);
  await sql`
    insert into available_dids (id, number, did_group_id, nanpa_prefix_id)
    select n.id, n.number, ${targetGroupId}::uuid, n.prefix
    from unnest(${taken.map(({ id }) => id)}::uuid[], ${taken.map(({ number }) => number)}::text[],
                ${taken.map((row) => row.nanpa_prefix_id)}::uuid[]) as n (id, number, prefix)
    order by n.number`.execute(env.db);
  return { count: taken.length, left };
}

interface StockRow {
  id: string;
  number: string;
  did_group_id: string;
  nanpa_prefix_id: string | null;
}

/** `left`: chosen numbers that a customer has reserved. */
async function takeFromStock({ db, clock }: Environment, chosen: Chosen): Promise<{ taken: StockRow[]; left: number }> {
  const { numbers, numberPrefix, groupId } = chosen;
  // The stock has no index by group; its blocks have.
  const from =
    groupId === null
      ? sql`available_dids a where true`
      : sql`stock_blocks b join available_dids a on a.number between b.base || '000' and b.base || '999'
              and length(a.number) = length(b.base) + 3 and a.did_group_id = b.did_group_id
            where b.did_group_id = ${groupId}::uuid`;
  const found = sql`
    select a.id, exists (select from did_reservations r where r.available_did_id = a.id
                         and r.expires_at > ${clock.now()}) as reserved
    from ${from}
      ${numbers === null ? sql`` : sql`and a.number = any (${numbers}::text[])`}
      ${numberPrefix === null ? sql`` : sql`and a.number like ${`${numberPrefix}%`}`}
    limit ${mostAtOnce + 1}`;
  const { rows } = await sql<{ ids: string[] | null; left: number; found: number }>`
    select array_agg(id) filter (where not reserved) as ids, count(*) filter (where reserved)::int as left,
           count(*)::int as found from (${found}) f`.execute(db);
  const [row] = rows;
  if ((row?.found ?? 0) > mostAtOnce) {
    throw new OperatorError(`These are more than ${mostAtOnce} numbers; choose fewer at once.`);
  }
  const { rows: taken } = await sql<StockRow>`
    delete from available_dids where id = any (${row?.ids ?? []}::uuid[])
    returning id, number, did_group_id, nanpa_prefix_id`.execute(db);
  return { taken, left: row?.left ?? 0 };
}

const asTable = (rows: readonly Omit<StockRow, 'id'>[]) =>
  sql`unnest(${rows.map(({ number }) => number)}::text[], ${rows.map((row) => row.did_group_id)}::uuid[],
             ${rows.map((row) => row.nanpa_prefix_id)}::uuid[])`;
