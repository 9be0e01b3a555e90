import { couldBeId, targetsOf } from './declare.ts';
import { ApiError, type ErrorObject, errors, invalid, messages, throwAny } from './errors.ts';
import type { Linkage } from './linkage.ts';
import type { Query } from './query-shape.ts';
import type { Registry } from './registry.ts';
import type { EngineContext, Relationship, Resource, WriteInput } from './resource.ts';
import { directConditions, sourceOf } from './select.ts';
import { allConditions, Params, type Row } from './sql.ts';
import { tenantCondition } from './tenant.ts';

/** Checks that everything an input links to is there for this caller: one statement per relationship. */
export async function checkLinks<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  input: WriteInput,
): Promise<void> {
  const problems = await Promise.all(
    Object.entries(input.relationships).map(async ([name, link]): Promise<ErrorObject[]> => {
      const relationship = resource.relationships[name];
      if (!relationship || relationship.checked === false || link === null) return [];
      const links = Array.isArray(link) ? link : [link];
      const found = await findLinks(context, registry, relationship, links);
      return links.every(({ id }) => found.has(id)) ? [] : [refusal(relationship, name)];
    }),
  );
  throwAny(problems.flat());
}

/** Refuses filters by the id of a record that is not there for this caller (`namesA`). */
export async function checkNamed<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  { filters }: Pick<Query, 'filters'>,
): Promise<void> {
  const problems = await Promise.all(
    filters.map(async ({ name, filter, values }): Promise<ErrorObject[]> => {
      if (filter.namesA === undefined) return [];
      const ids = values.map(String);
      const found = new Set(await findIds(context, registry, filter.namesA, ids));
      return ids.filter((id) => !found.has(id.toLowerCase())).map((id) => errors.invalidFilterValue(id, name));
    }),
  );
  throwAny(problems.flat());
}

function refusal({ refusedAs }: Relationship, name: string): ErrorObject {
  return refusedAs
    ? invalid.pointed(refusedAs.pointer, messages.invalid, refusedAs.name)
    : invalid.relationship(name, messages.invalid);
}

/** The ids among `links` that exist for this caller. */
async function findLinks<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  relationship: Relationship,
  links: readonly Linkage[],
): Promise<Set<string>> {
  const found = await Promise.all(
    targetsOf(relationship).map((type) =>
      findIds(
        context,
        registry,
        type,
        links.filter((link) => link.type === type).map(({ id }) => id),
      ),
    ),
  );
  return new Set(found.flat());
}

/** The ids among these that are records of a type, for this caller. */
async function findIds<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  type: string,
  wanted: readonly string[],
): Promise<string[]> {
  const target = registry.get(type);
  const ids = wanted.filter(couldBeId);
  if (!target || ids.length === 0) return [];
  const params = new Params();
  const conditions = [
    ...directConditions(context, target, params),
    `${target.idColumn} = any(${params.add(ids)}::uuid[])`,
  ];
  const rows = await context.query(
    `select ${target.idColumn} as id from ${sourceOf(context, target, params)}${allConditions(conditions)}`,
    params.values,
  );
  return rows.map((row) => String(row.id));
}

export interface StoreOptions {
  table: string;
  /** Unique index → the attribute whose value has been taken. */
  unique?: Readonly<Record<string, string>>;
}

/** The plain create of a type that needs no workflow of its own: its writable columns, its account, and when. */
export async function insertRow(context: EngineContext, options: StoreOptions, values: Row): Promise<string> {
  const names = Object.keys(values);
  const params = new Params();
  const placeholders = names.map((name) => params.add(values[name]));
  const text = `insert into ${options.table} (${names.join(', ')}) values (${placeholders.join(', ')}) returning id`;
  const [row] = await guarded(options, () => context.query(text, params.values));
  return String(row?.id);
}

/** The plain update: only what was sent. */
export async function updateRow(context: EngineContext, options: StoreOptions, id: string, values: Row): Promise<void> {
  const names = Object.keys(values);
  if (names.length === 0) return;
  const params = new Params();
  const changes = names.map((name) => `${name} = ${params.add(values[name])}`);
  const tenant = tenantCondition(context, 'account_id', params);
  const where = allConditions([`id = ${params.add(id)}`, ...(tenant === null ? [] : [tenant])]);
  const text = `update ${options.table} set ${changes.join(', ')}${where}`;
  await guarded(options, () => context.query(text, params.values));
}

/** An input as columns: attributes by name, to-one relationships as `<name>_id`. */
export function columnValues(input: WriteInput): Row {
  const values: Row = { ...input.attributes };
  for (const [name, link] of Object.entries(input.relationships)) {
    if (!Array.isArray(link)) values[`${name}_id`] = link?.id ?? null;
  }
  return values;
}

async function guarded<T>(options: StoreOptions, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const constraint = error instanceof Error && 'constraint' in error ? String(error.constraint) : '';
    const attribute = options.unique?.[constraint];
    if (attribute) throw new ApiError([invalid.attribute(attribute, messages.taken)]);
    throw error;
  }
}
