/** Checks the query parameters of a request against the declarations. */
import { requireReads, requireTargets } from './access.ts';
import { targetsOf } from './declare.ts';
import { type ErrorObject, errors, throwAny } from './errors.ts';
import { mostFilterValues } from './facts.ts';
import { hasFeature } from './features.ts';
import type { Filter } from './filters.ts';
import type { IncludeTree, Query, RawQuery } from './query-string.ts';
import type { EngineContext, Registry, Resource } from './resource.ts';

/** How deep and how wide `include` may go: each step is a statement, and each path may multiply the response. */
export const deepestInclude = 8;
const mostIncludes = 50;

type QueryContext = Pick<EngineContext, 'defaultPageSize' | 'maxPageSize' | 'now' | 'features' | 'requireAccess'>;

/** Reads the parameters of a collection (`list`) or of a single document; throws all errors that it finds together. */
export function parseQuery(
  registry: Registry,
  resource: Resource,
  raw: RawQuery,
  context: QueryContext,
  list: boolean,
): Query {
  const problems: ErrorObject[] = [];
  const fields = new Map<string, ReadonlySet<string>>();
  const filters: { name: string; filter: Filter; values: unknown[] }[] = [];
  const page = { number: 1, size: Math.min(context.defaultPageSize, context.maxPageSize) };
  let include: IncludeTree | null = null;
  let sort: Query['sort'] = defaultSort(resource);

  for (const [key, value] of raw) {
    const [family, name] = split(key);
    if (family === 'include' && name === null) include = parseInclude(registry, resource, value, context, problems);
    else if (family === 'fields' && name !== null) parseFields(registry, name, value, context, fields, problems);
    else if (family === 'fields') problems.push(errors.invalidFieldFormat());
    else if (list && family === 'sort' && name === null) sort = parseSort(resource, value, context, problems);
    else if (list && family === 'filter' && name !== null)
      parseFilter(resource, name, value, filters, context, problems);
    else if (list && family === 'filter') problems.push(errors.invalidFilterSyntax(value));
    else if (list && family === 'page') {
      if (resource.paginated) parsePage(name, value, page, largestPage(resource, context), problems);
    } else if (!list && family === 'page')
      // A single record has no pages; clients that send parameters for them are not refused (ruling).
      continue;
    else if (family === 'filter' && name !== null) problems.push(errors.filterNotAllowed(name));
    else problems.push(errors.paramNotAllowed(key));
  }
  const query = { include, fields, filters, sort, page: list && resource.paginated ? page : null, raw };
  problems.push(...tooShort(filters));
  throwAny(problems);
  return query;
}

/** Texts that are too short to search for, unless a filter that narrows the search enough was sent too. */
function tooShort(filters: Query['filters']): ErrorObject[] {
  const sent = new Set(filters.map(({ name }) => name));
  return filters.flatMap(({ name, filter: { facts }, values }) => {
    const { minLength = 0, minLengthWaivedBy = [] } = facts;
    const text = String(values[0] ?? '');
    const isTooShort = text !== '' && text.length < minLength && !minLengthWaivedBy.some((waiver) => sent.has(waiver));
    return isTooShort ? [errors.invalidFilterValue(text, name)] : [];
  });
}

/**
 * `filter[a.b]` → ['filter', 'a.b']; `sort` → ['sort', null]; `filter[a][b]` → ['filter', 'a[b]'], which no filter is
 * called.
 */
function split(key: string): [family: string, name: string | null] {
  const [, family, name, further] = /^(\w+)\[([^[\]]*)\](.*)$/.exec(key) ?? [];
  return family === undefined ? [key, null] : [family, `${name}${further}`];
}

function parseInclude(
  registry: Registry,
  resource: Resource,
  value: string,
  context: QueryContext,
  problems: ErrorObject[],
): IncludeTree | null {
  if (value === '') return null;
  const tree: MutableTree = new Map();
  const paths = value.split(',').filter((each) => each !== '');
  if (paths.length > mostIncludes) problems.push(errors.invalidInclude(paths[mostIncludes] ?? '', resource.type));
  for (const path of paths.slice(0, mostIncludes)) {
    let at = tree;
    let types: Resource[] = [resource];
    for (const [depth, segment] of path.trim().split('.').entries()) {
      if (depth >= deepestInclude) {
        problems.push(errors.invalidInclude(segment, types[0]?.type ?? resource.type));
        break;
      }
      const relationships = types.flatMap((type) => readable(type, segment, context));
      const [first] = relationships;
      if (!first) {
        problems.push(errors.invalidInclude(segment, types[0]?.type ?? resource.type));
        break;
      }
      for (const relationship of relationships) requireTargets(context, relationship);
      const below = at.get(segment) ?? new Map();
      at.set(segment, below);
      at = below;
      types = relationships.flatMap(targetsOf).flatMap((target) => registry.get(target) ?? []);
      if (types.length === 0) break;
    }
  }
  return tree;
}

type MutableTree = Map<string, MutableTree>;

function readable(resource: Resource, name: string, context: QueryContext) {
  const relationship = Object.hasOwn(resource.relationships, name) ? resource.relationships[name] : undefined;
  return relationship && !relationship.writeOnly && hasFeature(context, relationship.feature) ? [relationship] : [];
}

function parseFields(
  registry: Registry,
  type: string,
  value: string,
  context: QueryContext,
  fields: Map<string, ReadonlySet<string>>,
  problems: ErrorObject[],
): void {
  const resource = registry.get(type);
  if (!resource) {
    problems.push(errors.invalidResource(type));
    return;
  }
  const names = value.split(',').filter((name) => name !== '');
  for (const name of names) {
    const isRelationship =
      Object.hasOwn(resource.relationships, name) && hasFeature(context, resource.relationships[name]?.feature);
    if (name !== 'id' && !Object.hasOwn(resource.attributes, name) && !isRelationship)
      problems.push(errors.invalidField(name, type));
  }
  fields.set(type, new Set(names));
}

function parseFilter(
  resource: Resource,
  name: string,
  value: string,
  filters: { name: string; filter: Filter; values: unknown[] }[],
  context: QueryContext,
  problems: ErrorObject[],
): void {
  const filter = Object.hasOwn(resource.filters, name) ? resource.filters[name] : undefined;
  if (!filter) {
    problems.push(errors.filterNotAllowed(name));
    return;
  }
  requireReads(context, resource, name, filter);
  if (filter.facts.list && value.split(',', mostFilterValues + 1).length > mostFilterValues) {
    problems.push(errors.refusedFilterValue(`${name} takes at most ${mostFilterValues} values.`));
    return;
  }
  // PostgreSQL knows no NUL in text, so no stored value can match one.
  const values = value.includes('\0') ? null : filter.parse(value);
  const isWithheld = values?.some((each) => !hasFeature(context, filter.features?.[String(each)]));
  if (!values || isWithheld) {
    problems.push(errors.invalidFilterValue(value, name));
    return;
  }
  const refusal = filter.refusal?.(values, context.now);
  if (refusal) problems.push(errors.refusedFilterValue(refusal));
  else filters.push({ name, filter, values });
}

function parseSort(resource: Resource, value: string, context: QueryContext, problems: ErrorObject[]): Query['sort'] {
  const keys = value.split(',').filter((key) => key !== '');
  if (keys.length === 0) return defaultSort(resource);
  return keys.flatMap((key) => {
    const descending = key.startsWith('-');
    const name = descending ? key.slice(1) : key;
    const column = Object.hasOwn(resource.sort, name) ? resource.sort[name] : undefined;
    if (column) {
      requireReads(context, resource, name);
      return [{ column, descending }];
    }
    problems.push(errors.invalidSort(name, resource.type));
    return [];
  });
}

/** The order of a collection, and of what a to-many links to, when nothing else is asked for. */
export function defaultSort(resource: Resource): Query['sort'] {
  if (!resource.defaultSort) return [];
  const descending = resource.defaultSort.startsWith('-');
  const name = descending ? resource.defaultSort.slice(1) : resource.defaultSort;
  return [{ column: resource.sort[name] ?? resource.attributes[name]?.column ?? `t.${name}`, descending }];
}

const largestPage = ({ maxPageSize = 0 }: Resource, context: QueryContext): number =>
  Math.max(maxPageSize, context.maxPageSize);

function parsePage(
  name: string | null,
  value: string,
  page: { number: number; size: number },
  max: number,
  problems: ErrorObject[],
): void {
  if (name === null) problems.push(errors.invalidPageObject());
  else if (name !== 'number' && name !== 'size') problems.push(errors.pageParamNotAllowed(name));
  else if (!/^\d{1,9}$/.test(value) || Number(value) < 1) problems.push(errors.invalidPageValue(value, name));
  else if (name === 'size' && Number(value) > max) problems.push(errors.pageTooLarge(max));
  else page[name] = Number(value);
}
