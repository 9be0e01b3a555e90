/** The statements that take numbers out of stock, put them back and move them between groups. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { OperatorError } from '../../../base/operator-error.ts';
import { dialPrefix } from '../../../business/catalogue/rows.ts';
import type { Schema } from '../../../engines/db/schema.ts';
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
      select number, did_group_id, nanpa_prefix_id from dids where number = any (${listOf(chosen.numbers ?? [])})
      order by id for update
    )
    insert into held_numbers (number, did_group_id, nanpa_prefix_id, state, until, reason, actor, created_at)
    select owned.*, ${held} from owned on conflict do nothing`.execute(env.db);
  const { count, left } = await takeFromStock(env, chosen);
  await sql`
    insert into held_numbers (number, did_group_id, nanpa_prefix_id, state, until, reason, actor, created_at)
    select number, did_group_id, nanpa_prefix_id, ${held} from taken_numbers`.execute(env.db);
  return { count, owned: Number(owned.numAffectedRows ?? 0n), left };
}

/** Returns how many numbers are held no more; those that nobody owns are in stock again. */
export async function putBack({ db }: Environment, which: RawBuilder<unknown>): Promise<number> {
  // An owner's number is locked first: it either returns to stock before this, or finds itself free after it.
  await sql`select from dids d join held_numbers h using (number) where ${which} order by d.id for update of d`.execute(
    db,
  );
  const freed = await intoTaken(
    db,
    sql`
    delete from held_numbers h where h.number in (select h.number from held_numbers h where ${which} limit ${mostAtOnce})
    returning null::uuid as id, h.number, h.did_group_id, h.nanpa_prefix_id`,
  );
  await sql`
    insert into available_dids (number, did_group_id, nanpa_prefix_id)
    select n.number, n.did_group_id, n.nanpa_prefix_id from taken_numbers n
    where not exists (select from dids d where d.number = n.number) order by n.number`.execute(db);
  return freed;
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
  const { count, left } = await takeFromStock(env, chosen);
  const { rows: strangers } = await sql<{ number: string }>`
    select number from taken_numbers where not starts_with(number, ${start}) limit 1`.execute(env.db);
  const [stranger] = strangers;
  if (stranger !== undefined) {
    throw new OperatorError(`${stranger.number} does not begin with ${start}, as numbers of that group do.`);
  }
  await sql`
    insert into did_group_nanpa_prefixes (did_group_id, nanpa_prefix_id)
    select distinct ${targetGroupId}::uuid, nanpa_prefix_id from taken_numbers
    where nanpa_prefix_id is not null on conflict do nothing`.execute(env.db);
  await sql`
    insert into available_dids (id, number, did_group_id, nanpa_prefix_id)
    select id, number, ${targetGroupId}::uuid, nanpa_prefix_id from taken_numbers order by number`.execute(env.db);
  return { count, left };
}

/**
 * Moves the rows that a statement returns into the temporary table `taken_numbers`: a hundred thousand of them never
 * pass through this process, whose event loop would stand still. Returns how many there were.
 */
async function intoTaken(db: Kysely<Schema>, statement: RawBuilder<unknown>): Promise<number> {
  await sql`
    create temporary table taken_numbers (id uuid, number text collate "C" not null, did_group_id uuid not null,
      nanpa_prefix_id uuid) on commit drop`.execute(db);
  const { numAffectedRows } = await sql`
    with gone as (${statement})
    insert into taken_numbers select id, number, did_group_id, nanpa_prefix_id from gone`.execute(db);
  await sql`analyze taken_numbers`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** `left`: chosen numbers that a customer has reserved. The others are in `taken_numbers` afterwards. */
async function takeFromStock({ db, clock }: Environment, chosen: Chosen): Promise<{ count: number; left: number }> {
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
      ${numbers === null ? sql`` : sql`and a.number = any (${listOf(numbers)})`}
      ${numberPrefix === null ? sql`` : sql`and a.number like ${`${numberPrefix}%`}`}
    limit ${mostAtOnce + 1}`;
  // The ids pass through here as one text, which is not taken apart.
  const { rows } = await sql<{ ids: string | null; left: number; found: number }>`
    select (array_agg(id) filter (where not reserved))::text as ids, count(*) filter (where reserved)::int as left,
           count(*)::int as found from (${found}) f`.execute(db);
  const [row] = rows;
  if ((row?.found ?? 0) > mostAtOnce) {
    throw new OperatorError(`These are more than ${mostAtOnce} numbers; choose fewer at once.`);
  }
  const count = await intoTaken(
    db,
    sql`
    delete from available_dids where id = any (${row?.ids ?? '{}'}::uuid[])
    returning id, number, did_group_id, nanpa_prefix_id`,
  );
  return { count, left: row?.left ?? 0 };
}

/** A list of numbers as one text: an array of ten thousands of parameters takes long to write. */
export const listOf = (numbers: readonly string[]): RawBuilder<string[]> =>
  sql`string_to_array(${numbers.join(',')}, ',')`;
