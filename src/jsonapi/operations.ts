/** The reading operations: each takes a context and a request and returns a document. */
import { couldBeId, targetsOf } from './declare.ts';
import { collectionDocument, linkageDocument, singleDocument } from './document.ts';
import { ApiError, errors, throwAny } from './errors.ts';
import { mostLinkage } from './facts.ts';
import type { Document } from './linkage.ts';
import { parseQuery } from './query.ts';
import type { Query, RawQuery } from './query-string.ts';
import { fetchIncluded, type Node } from './related.ts';
import type { EngineContext, Page, Registry, Relationship, Resource } from './resource.ts';
import { columnsFor, selectByIds, selectOne, selectPage } from './select.ts';
import type { Params } from './sql.ts';

/** The request as the client sent it, before it was translated from an older version; page links repeat it. */
export interface Asked {
  path: string;
  query: RawQuery;
}

export async function listDocument<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  raw: RawQuery,
  asked: Asked,
): Promise<Document> {
  resource.guard?.(context, 'list');
  const query = parseQuery(registry, resource, raw, context, true);
  const page = resource.findPage
    ? await resource.findPage(context, {
        query,
        columns: columnsFor(resource, query.include, query.fields.get(resource.type)),
      })
    : await selectPage(context, resource, query);
  const fetched = await fetchIncluded(context, registry, resource, page.rows, query);
  return collectionDocument(
    context,
    asked.path,
    fetched,
    { ...query, raw: asked.query },
    page.total,
    await metaOf(context, resource, page),
  );
}

export async function readDocument<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  raw: RawQuery,
): Promise<Document> {
  resource.guard?.(context, 'read');
  const query = parseQuery(registry, resource, raw, context, false);
  const meta: Record<string, unknown> = {};
  for (const [name, compute] of Object.entries(resource.readMeta)) meta[name] = await compute(context);
  return readBack(context, registry, resource, id, query, meta);
}

/** `GET /{type}/{id}/relationships/{rel}`. */
export async function relationshipDocument<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  name: string,
  /** The relationship's name in the client's version. */
  word: string,
  raw: RawQuery,
): Promise<object> {
  resource.guard?.(context, 'read');
  refuseParameters(raw);
  const include = new Map([[name, new Map()]]);
  const row = couldBeId(id) ? await selectOne(context, resource, id, include) : undefined;
  if (!row) throw new ApiError([errors.recordNotFound(id)]);
  const relationship = resource.relationships[name];
  // Linkage needs no column of the related records.
  const fields = new Map((relationship ? targetsOf(relationship) : []).map((type) => [type, new Set<string>()]));
  const fetched = await fetchIncluded(context, registry, resource, [row], { include, fields }, mostLinkage);
  const [node] = fetched.primary as [Node<C>];
  return linkageDocument(context, node, name, word);
}

/** `GET /{type}/{id}/{rel}`: the related resource, or the collection of them. */
export async function relatedDocument<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  name: string,
  relationship: Relationship,
  raw: RawQuery,
  asked: Asked,
): Promise<Document> {
  resource.guard?.(context, 'read');
  const include = new Map([[name, new Map()]]);
  const row = couldBeId(id) ? await selectOne(context, resource, id, include) : undefined;
  if (!row) throw new ApiError([errors.recordNotFound(id)]);
  const type =
    relationship.typeColumn && row[`→${name}.type`] ? String(row[`→${name}.type`]) : targetsOf(relationship)[0];
  const target = registry.get(type ?? '');
  if (relationship.kind === 'many') return relatedCollection(context, registry, target, id, relationship, raw, asked);

  if (!target) return { data: null, meta: { api_version: context.apiVersion } };
  const query = parseQuery(registry, target, raw, context, false);
  const relatedId = row[`→${name}`] ?? null;
  const ids = relatedId === null ? [] : [String(relatedId)];
  const [related] = await selectByIds(context, target, ids, query.include, query.fields.get(target.type));
  const fetched = await fetchIncluded(context, registry, target, related ? [related] : [], query);
  return singleDocument(context, fetched, query);
}

async function relatedCollection<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  target: Resource<C> | undefined,
  id: string,
  relationship: Relationship,
  raw: RawQuery,
  asked: Asked,
): Promise<Document> {
  if (!target) return { data: [], meta: { total_records: 0, api_version: context.apiVersion } };
  const query = parseQuery(registry, target, raw, context, true);
  const { via, through } = relationship;
  const page = await selectPage(context, target, query, (params: Params) => [
    through
      ? `${target.idColumn} in (select j.${through.to} from ${through.table} j where j.${through.from} = ${params.add(id)})`
      : `t.${via} = ${params.add(id)}`,
  ]);
  const fetched = await fetchIncluded(context, registry, target, page.rows, query);
  return collectionDocument(context, asked.path, fetched, { ...query, raw: asked.query }, page.total);
}

export async function readBack<C extends EngineContext>(
  context: C,
  registry: Registry<C>,
  resource: Resource<C>,
  id: string,
  query: Query,
  meta: Record<string, unknown> = {},
): Promise<Document> {
  const findable = resource.singleton || couldBeId(id);
  const row = findable
    ? await selectOne(context, resource, id, query.include, query.fields.get(resource.type))
    : undefined;
  if (!row) throw new ApiError([errors.recordNotFound(id)]);
  return singleDocument(context, await fetchIncluded(context, registry, resource, [row], query), query, meta);
}

/** For responses that no parameter can shape. Pages are ignored, as on every single record. */
export function refuseParameters(raw: RawQuery): void {
  throwAny(
    raw.flatMap(([key]) => {
      const filter = /^filter\[(.*)\]$/.exec(key)?.[1];
      if (/^page(\[|$)/.test(key)) return [];
      return [filter === undefined ? errors.paramNotAllowed(key) : errors.filterNotAllowed(filter)];
    }),
  );
}

async function metaOf<C extends EngineContext>(
  context: C,
  resource: Resource<C>,
  page: Page,
): Promise<Record<string, unknown>> {
  const meta: Record<string, unknown> = {};
  for (const [name, compute] of Object.entries(resource.collectionMeta)) meta[name] = await compute(context, page);
  return meta;
}
