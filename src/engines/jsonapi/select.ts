/** The SQL of reading. Every statement gets its conditions from `conditionsFor`, which throws without a tenant. */
import { defaultSort } from './query.ts';
import type { IncludeTree, Query } from './query-string.ts';
import type { EngineContext, Page, Resource } from './resource.ts';
import { allConditions, manyIds, Params, type Row, tenantCondition } from './sql.ts';

/** The rows of one page, and the total: one statement, and a second one if the page does not show the total. */
export async function selectPage(
  context: EngineContext,
  resource: Resource,
  query: Query,
  extra?: (params: Params) => string[],
): Promise<Page> {
  const columns = columnsFor(resource, query.include, query.fields.get(resource.type));
  const params = new Params();
  const from = sourceOf(context, resource, params);
  const conditions = [
    ...directConditions(context, resource, params),
    ...filterConditions(query, params, context.now),
    ...(extra?.(params) ?? []),
  ];
  const where = allConditions(conditions);
  const countValues = [...params.values];
  // Counts are kept of whole lists and single filters, not of what is related to a record.
  const counts = extra === undefined ? resource.counts : undefined;
  const { page } = query;
  const order = orderColumns(resource, query.sort);
  // The first page of a whole list is asked for most, and few lists are short: one statement does for both.
  const countsAll = page?.number === 1 && query.filters.length === 0;
  const rows =
    page && page.number > 1
      ? await context.query(
          deepPage({ context, resource, query, counts, from, conditions, order, columns, params }),
          params.values,
        )
      : await context.query(firstPage(), params.values);
  if (!page) return { rows, total: rows.length };
  if (countsAll) return { rows, total: Number(rows[0]?.['→total'] ?? 0) };
  const before = (page.number - 1) * page.size;
  const isLast = rows.length < page.size && (rows.length > 0 || before === 0);
  if (isLast) return { rows, total: before + rows.length };
  const total = await countRows();
  return { rows, total: rows.length > 0 ? Math.max(total, before + rows.length) : total };

  /**
   * The usual page of a whole list has its size in the text, so that PostgreSQL keeps one plan for it. With filters it
   * must not: one plan for all values would look for a rare one among all rows, in the order of the list.
   */
  function firstPage(): string {
    const total = countsAll
      ? `, ${counts?.total(context, query.filters, params) ?? countOf(resource, from, where)} as "→total"`
      : '';
    return `select ${columns}${total} from ${from}${where} order by ${order}${limit()}`;
  }

  function limit(): string {
    if (!page) return '';
    if (countsAll && page.size === context.defaultPageSize) return ` limit ${page.size}`;
    return ` limit ${params.add(page.size)} offset ${params.add(0)}`;
  }

  async function countRows(): Promise<number> {
    const own = new Params();
    const kept = counts?.total(context, query.filters, own) ?? null;
    const [count] = await (kept === null
      ? context.query(`select ${countOf(resource, from, where)} as total`, countValues)
      : context.query(`select ${kept} as total`, own.values));
    return Number(count?.total ?? 0);
  }
}

interface DeepPage {
  context: EngineContext;
  resource: Resource;
  query: Query;
  counts: Resource['counts'];
  from: string;
  conditions: readonly string[];
  order: string;
  columns: string;
  params: Params;
}

/**
 * PostgreSQL computes the columns of rows that OFFSET skips, so a deep page finds its ids first. Where the ranges of
 * the list's order are counted, it begins in the range of its first row and skips at most that range.
 */
function deepPage({ context, resource, query, counts, from, conditions, order, columns, params }: DeepPage): string {
  const { number, size } = query.page ?? { number: 1, size: 1 };
  const [limit, skipped] = [params.add(size), params.add((number - 1) * size)];
  const { idColumn } = resource;
  const ranges =
    query.filters.length === 0 && isOrderedBy(query.sort, counts?.ranges?.sort) ? counts?.ranges : undefined;
  const entry = ranges?.at(context, `${skipped}::bigint`, params) ?? null;
  const begin = entry === null || !ranges ? [] : [ranges.from('(select range from entry)')];
  const offset = entry === null ? skipped : `(select ${skipped}::bigint - before from entry)`;
  const ids = `select ${idColumn} from ${from}${allConditions([...conditions, ...begin])} order by ${order} limit ${limit} offset ${offset}`;
  const found = `select ${columns} from ${from} where ${idColumn} = any(array(${ids})) order by ${order}`;
  return entry === null ? found : `with entry as materialized (select range, before from ${entry}) ${found}`;
}

function isOrderedBy(sort: Query['sort'], wanted: Query['sort'][number] | undefined): boolean {
  const [only, ...more] = sort;
  if (only === undefined) return wanted !== undefined && wanted.column === '';
  return more.length === 0 && only.column === wanted?.column && only.descending === wanted.descending;
}

/** How many rows match, as an expression. */
const countOf = ({ mostCounted }: Resource, from: string, where: string): string =>
  mostCounted === undefined
    ? `(select count(*)::int from ${from}${where})`
    : `(select count(*)::int from (select from ${from}${where} limit ${mostCounted}) t)`;

/** One row by its id; undefined if it does not exist for this caller. */
export async function selectOne(
  context: EngineContext,
  resource: Resource,
  id: string,
  include: IncludeTree | null,
  fields?: ReadonlySet<string>,
): Promise<Row | undefined> {
  const params = new Params();
  const conditions = directConditions(context, resource, params);
  if (!resource.singleton) conditions.push(`${resource.idColumn} = ${params.add(id)}`);
  const run = resource.singleton && context.query === context.text?.query ? context.text.shared : context.query;
  const [row] = await run(
    `select ${columnsFor(resource, include, fields)} from ${sourceOf(context, resource, params)}${allConditions(conditions)}`,
    params.values,
  );
  return row;
}

/** Rows by their ids, in no particular order. */
export async function selectByIds(
  context: EngineContext,
  resource: Resource,
  ids: readonly string[],
  include: IncludeTree | null,
  fields?: ReadonlySet<string>,
): Promise<Row[]> {
  if (ids.length === 0) return [];
  const params = new Params();
  const conditions = [
    ...conditionsFor(context, resource, params),
    `${resource.idColumn} = any(${params.add(manyIds(ids))}::uuid[])`,
  ];
  const columns = columnsFor(resource, include, fields);
  const from = sourceOf(context, resource, params);
  return context.query(`select ${columns} from ${from}${allConditions(conditions)}`, params.values);
}

/** Rows related to any of `ownerIds` through a to-many; each row carries the owner's id as `owner`. */
export async function selectRelated(
  context: EngineContext,
  resource: Resource,
  relation: { via?: string; through?: { table: string; from: string; to: string } },
  ownerIds: readonly string[],
  include: IncludeTree | null,
  fields: ReadonlySet<string> | undefined,
  most: number,
): Promise<Row[]> {
  const params = new Params();
  const conditions = directConditions(context, resource, params);
  const columns = columnsFor(resource, include, fields);
  const owners = `any(${params.add(ownerIds)}::uuid[])`;
  const { via, through } = relation;
  const join = through ? ` join ${through.table} j on j.${through.to} = ${resource.idColumn}` : '';
  const owner = through ? `j.${through.from}` : `t.${via}`;
  conditions.push(`${owner} = ${owners}`);
  return context.query(
    `select ${columns}, ${owner} as owner from ${sourceOf(context, resource, params)}${join}${allConditions(conditions)} order by ${orderColumns(resource, defaultSort(resource))} limit ${params.add(Math.max(1, most))}`,
    params.values,
  );
}

/** Where a type's rows come from, for this caller. */
export const sourceOf = (context: EngineContext, { from }: Resource, params: Params): string =>
  typeof from === 'string' ? from : from(context, params);

/** The SELECT list: `id`, attributes, linkage of what is included, and meta. */
export function columnsFor(resource: Resource, include: IncludeTree | null, fields?: ReadonlySet<string>): string {
  if ((include !== null && include.size > 0) || fields) return columnList(resource, include, fields);
  const known = allColumns.get(resource) ?? columnList(resource, null);
  allColumns.set(resource, known);
  return known;
}

/** Of requests that choose nothing, which most are. */
const allColumns = new WeakMap<Resource, string>();

function columnList(resource: Resource, include: IncludeTree | null, fields?: ReadonlySet<string>): string {
  const columns = [`${resource.idColumn} as id`];
  const isRead = (name: string) => !fields || fields.has(name) || Object.hasOwn(resource.metaWhen ?? {}, name);
  for (const [name, { column }] of Object.entries(resource.attributes)) {
    if (column !== null && isRead(name)) columns.push(`${column} as "${name}"`);
  }
  for (const name of include?.keys() ?? []) {
    const relationship = resource.relationships[name];
    if (!relationship?.column) continue;
    columns.push(`${relationship.column} as "→${name}"`);
    if (relationship.typeColumn) columns.push(`${relationship.typeColumn} as "→${name}.type"`);
  }
  for (const [name, meta] of Object.entries(resource.meta)) columns.push(`${meta.column} as "meta.${name}"`);
  return columns.join(', ');
}

/** The conditions under which a row exists for the caller. */
function conditionsFor(context: EngineContext, resource: Resource, params: Params): string[] {
  const conditions: string[] = [];
  const tenant = resource.scope === 'account' ? tenantCondition(context, resource.accountColumn, params) : null;
  if (tenant !== null) conditions.push(tenant);
  if (resource.visible) conditions.push(resource.visible(context, params));
  return conditions;
}

/** The conditions under which the caller can read a row, list it, or link to it. */
export function directConditions(context: EngineContext, resource: Resource, params: Params): string[] {
  const conditions = conditionsFor(context, resource, params);
  return resource.direct ? [...conditions, resource.direct(context, params)] : conditions;
}

const filterConditions = (query: Query, params: Params, now: Date): string[] =>
  query.filters.map(({ filter, values }) => filter.where(values, params, now));

function orderColumns(resource: Resource, sort: Query['sort']): string {
  const keys = sort.map(({ column, descending }) => `${column}${descending ? ' desc' : ''}`);
  return [...keys, resource.tieBreak].join(', ');
}
