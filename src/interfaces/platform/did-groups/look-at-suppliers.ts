/** Which groups of suppliers are looked at before a list of numbers is answered, or an order for some is placed. */
import { type Kysely, sql } from 'kysely';
import { lookAtGroups, type SoldGroup } from '../../../business/suppliers/stock/look.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { Query } from '../../../engines/jsonapi/query-string.ts';
import { Params } from '../../../engines/jsonapi/sql.ts';
import type { PlatformContext, PlatformEnvironment } from '../context.ts';

/** A list over more groups shows of the others what somebody has asked for: those with most stock are looked at. */
const mostGroups = 6;
/** How long nobody looks again whether any supplier is active. */
const noneMs = 1_000;

const selling = `s.active and b.on_sale and b.available_dids_enabled and g.available_dids_enabled`;

/** Shows what suppliers have for this list, up to the end of its page. */
export async function lookForList(context: PlatformContext, query: Query): Promise<void> {
  const { env } = context;
  if (context.db.isTransaction || !(await anySupplier(env))) return;
  const params = new Params();
  const { number, size } = query.page ?? { number: 1, size: 50 };
  const digits = query.filters.find(({ name }) => name === 'number_contains')?.values[0];
  const [prefix] = query.filters.find(({ name }) => name === 'nanpa_prefix.id')?.values ?? [];
  const conditions = query.filters
    .filter(({ name }) => !['number_contains', 'nanpa_prefix.id', 'id'].includes(name))
    .map(({ filter, values }) => filter.where(values, params, context.now));
  if (typeof prefix === 'string') conditions.push(underPrefix(params.add(prefix)));
  const groups = await context.query(
    `select b.id, b.supplier_id, b.did_group_id, b.their_id
     from supplier_groups b join suppliers s on s.id = b.supplier_id join did_groups g on g.id = b.did_group_id
     where ${[selling, 'b.stock > 0', ...conditions].join(' and ')}
     order by b.stock desc, b.id limit ${mostGroups}`,
    params.values,
  );
  const contains = typeof digits === 'string' ? digits : await digitsOf(env.db, prefix);
  await lookAtGroups(env, groups.map(asSold), {
    ...(contains === null ? {} : { digits: contains }),
    atLeast: number * size,
  });
}

interface WantedOfGroup {
  readonly groupId: string;
  readonly nanpaPrefixId: string | null;
  readonly qty: number;
}

/** Shows as many numbers as an order wants of each group, as far as there are. */
export async function lookForOrder(
  env: PlatformEnvironment,
  db: Kysely<Schema>,
  items: readonly WantedOfGroup[],
): Promise<void> {
  // Nobody waits for a supplier while a transaction is open: its numbers are ordered without being chosen.
  if (items.length === 0 || db.isTransaction) return;
  const { rows } = await sql<SoldGroup>`
    select b.id, b.supplier_id, b.did_group_id, b.their_id
    from supplier_groups b join suppliers s on s.id = b.supplier_id join did_groups g on g.id = b.did_group_id
    where ${sql.raw(selling)} and b.did_group_id = any(${items.map(({ groupId }) => groupId)}::uuid[])
    order by b.id limit ${mostGroups * items.length}`.execute(env.db);
  await Promise.all(
    items.map(async ({ groupId, nanpaPrefixId, qty }) => {
      const groups = rows.filter(({ did_group_id }) => did_group_id === groupId);
      const digits = await digitsOf(env.db, nanpaPrefixId);
      await lookAtGroups(env, groups, { ...(digits === null ? {} : { digits }), atLeast: qty });
    }),
  );
}

/** Most installs have none: they are asked once a second at most. */
async function anySupplier(env: PlatformEnvironment): Promise<boolean> {
  const at = performance.now();
  if (at - (env.stockLooks.noneAt ?? Number.NEGATIVE_INFINITY) < noneMs) return false;
  const found = await env.db.selectFrom('suppliers').select('id').where('active', '=', true).executeTakeFirst();
  if (found === undefined) env.stockLooks.noneAt = at;
  return found !== undefined;
}

const underPrefix = (id: string): string =>
  `exists (select from did_group_nanpa_prefixes l where l.did_group_id = g.id and l.nanpa_prefix_id = ${id}::uuid)`;

/** The digits that numbers of a prefix begin with. */
async function digitsOf(db: Kysely<Schema>, prefixId: unknown): Promise<string | null> {
  if (typeof prefixId !== 'string') return null;
  const row = await db
    .selectFrom('nanpa_prefixes')
    .select(['npa', 'nxx'])
    .where('id', '=', prefixId)
    .executeTakeFirst();
  return row === undefined ? null : `1${row.npa}${row.nxx}`;
}

const asSold = (row: Record<string, unknown>): SoldGroup => ({
  id: String(row.id),
  supplier_id: String(row.supplier_id),
  did_group_id: String(row.did_group_id),
  their_id: String(row.their_id),
});
