/** The reading operations: each takes a request and returns a document. */
import { isUuid } from '../../base/uuid.ts';
import { requireTargets } from './access.ts';
import { targetsOf } from './declare.ts';
import { collectionDocument, linkageDocument, singleDocument } from './document.ts';
import type { ResourceRequest } from './engine.ts';
import { ApiError, errors, throwAny } from './errors.ts';
import { mostLinkage } from './facts.ts';
import type { Document } from './linkage.ts';
import { collectionText, type DocumentText, singleText } from './plan/document-text.ts';
import { parseQuery } from './query.ts';
import type { IncludeTree, Query, RawQuery } from './query-string.ts';
import { type Fetched, fetchIncluded, includesShared, type Node } from './related.ts';
import type { EngineContext, Page, Relationship, Resource } from './resource.ts';
import { columnsFor, selectByIds, selectOne, selectPage } from './select.ts';
import type { Params, Row } from './sql.ts';

/** A document, as an object or as text. */
type Made = Document | DocumentText;

/** For the statements of a document: their rows are text if the document is. */
const readerOf = ({ context, asText }: Pick<ResourceRequest, 'context' | 'asText'>): EngineContext =>
  asText && context.text ? { ...context, query: context.text.query } : context;

export async function listDocument(request: ResourceRequest): Promise<Made> {
  const { context, registry, resource } = request;
  resource.guard?.(context, 'list');
  const query = parseQuery(registry, resource, request.query, context, true);
  const reader = readerOf(request);
  const version = referenceVersion(request, query);
  const page = resource.findPage
    ? await resource.findPage(reader, {
        resource,
        query,
        columns: columnsFor(resource, query.include, query.fields.get(resource.type)),
      })
    : await selectPage(reader, resource, query);
  const meta: Record<string, unknown> = {};
  for (const [name, compute] of Object.entries(resource.collectionMeta)) meta[name] = await compute(context, page);
  return pageDocument(request, resource, query, page, meta, version);
}

/** Begins to read the version of the reference data if some of it is included; it is read beside the rows. */
function referenceVersion(request: ResourceRequest, { include }: Query): Promise<string> | null {
  const { context, registry, resource } = request;
  if (include === null || !context.referenceRows || !includesShared(registry, resource, include)) return null;
  if (request.referenceVersion !== undefined) return Promise.resolve(request.referenceVersion);
  const version = context.referenceRows.version();
  // If the request fails before it is needed, nobody waits for it.
  version.catch(() => undefined);
  return version;
}

export async function readDocument(request: ResourceRequest): Promise<Made> {
  const { context, registry, resource } = request;
  resource.guard?.(context, 'read');
  const query = parseQuery(registry, resource, request.query, context, false);
  const meta: Record<string, unknown> = {};
  for (const [name, compute] of Object.entries(resource.readMeta)) meta[name] = await compute(context);
  const reader = readerOf(request);
  const version = referenceVersion(request, query);
  const row = await requireRow(
    { context: reader, resource, id: request.id },
    query.include,
    query.fields.get(resource.type),
  );
  const fetched = await fetchIncluded(reader, registry, resource, [row], query, undefined, version);
  return single(request, fetched, query, meta);
}

function single(
  { context, asText }: ResourceRequest,
  fetched: Fetched,
  query: Query,
  meta?: Record<string, unknown>,
): Made | Promise<Made> {
  return asText && context.text
    ? singleText(context, context.text, fetched, query, meta)
    : singleDocument(context, fetched, query, meta);
}

/** `GET /{type}/{id}/relationships/{rel}`. */
export async function relationshipDocument(request: ResourceRequest, name: string): Promise<object> {
  const { context, registry, resource } = request;
  resource.guard?.(context, 'read');
  const relationship = resource.relationships[name];
  if (relationship) requireTargets(context, relationship);
  refuseParameters(request.query);
  const include = new Map([[name, new Map()]]);
  const row = await requireRow(request, include);
  // Linkage needs no column of the related records.
  const fields = new Map((relationship ? targetsOf(relationship) : []).map((type) => [type, new Set<string>()]));
  const fetched = await fetchIncluded(context, registry, resource, [row], { include, fields }, mostLinkage);
  const [node] = fetched.primary as [Node];
  return linkageDocument(context, node, name);
}

/** `GET /{type}/{id}/{rel}`: the related resource, or the collection of them. */
export async function relatedDocument(
  request: ResourceRequest,
  name: string,
  relationship: Relationship,
): Promise<Made> {
  const { context, registry, resource } = request;
  resource.guard?.(context, 'read');
  requireTargets(context, relationship);
  const row = await requireRow(request, new Map([[name, new Map()]]));
  const type =
    relationship.typeColumn && row[`→${name}.type`] ? String(row[`→${name}.type`]) : targetsOf(relationship)[0];
  const target = registry.get(type ?? '');
  if (relationship.kind === 'many') return relatedCollection(request, target, relationship);

  if (!target) return { data: null, meta: { api_version: context.apiVersion } };
  const query = parseQuery(registry, target, request.query, context, false);
  const relatedId = row[`→${name}`] ?? null;
  const ids = relatedId === null ? [] : [String(relatedId)];
  const reader = readerOf(request);
  const [related] = await selectByIds(reader, target, ids, query.include, query.fields.get(target.type));
  return single(request, await fetchIncluded(reader, registry, target, related ? [related] : [], query), query);
}

async function relatedCollection(
  request: ResourceRequest,
  target: Resource | undefined,
  { via, through }: Relationship,
): Promise<Made> {
  const { context, registry, id } = request;
  if (!target) return { data: [], meta: { total_records: 0, api_version: context.apiVersion } };
  const query = parseQuery(registry, target, request.query, context, true);
  const page = await selectPage(readerOf(request), target, query, (params: Params) => [
    through
      ? `${target.idColumn} in (select j.${through.to} from ${through.table} j where j.${through.from} = ${params.add(id)})`
      : `t.${via} = ${params.add(id)}`,
  ]);
  return pageDocument(request, target, query, page);
}

async function pageDocument(
  request: ResourceRequest,
  resource: Resource,
  query: Query,
  { rows, total }: Page,
  meta?: Record<string, unknown>,
  version: Promise<string> | null = null,
): Promise<Made> {
  const { context, registry, path, asText } = request;
  const fetched = await fetchIncluded(readerOf(request), registry, resource, rows, query, undefined, version);
  return asText && context.text
    ? collectionText(context, context.text, path, fetched, query, total, meta)
    : collectionDocument(context, path, fetched, query, total, meta);
}

/** A record as the response to a write shows it; its row is read, unless it is known. */
export async function readBack(
  { context, registry, resource }: Pick<ResourceRequest, 'context' | 'registry' | 'resource'>,
  id: string,
  query: Query,
  known?: Row,
): Promise<Document> {
  const row = known ?? (await requireRow({ context, resource, id }, query.include, query.fields.get(resource.type)));
  return singleDocument(context, await fetchIncluded(context, registry, resource, [row], query), query);
}

/** The row of a record; throws 404 if it does not exist for this caller. */
export async function requireRow(
  { context, resource, id }: Pick<ResourceRequest, 'context' | 'resource' | 'id'>,
  include: IncludeTree | null,
  fields?: ReadonlySet<string>,
): Promise<Row> {
  const row = resource.singleton || isUuid(id) ? await selectOne(context, resource, id, include, fields) : undefined;
  if (!row) throw new ApiError([errors.recordNotFound(id)]);
  return row;
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
