/** Makes response documents of fetched rows. */
import { trimmedDecimal } from './attributes.ts';
import { hasFeature } from './features.ts';
import type { Document, RelationshipObject, ResourceObject } from './linkage.ts';
import { type Query, writePageQuery } from './query-string.ts';
import type { Fetched, Node } from './related.ts';
import type { EngineContext } from './resource.ts';
import { holds } from './rules.ts';

export function singleDocument(
  context: EngineContext,
  fetched: Fetched,
  query: Query,
  meta: Record<string, unknown> = {},
): Document {
  const [node] = fetched.primary;
  return {
    data: node ? resourceObject(context, node, query) : null,
    ...includedMember(context, fetched, query),
    meta: { ...meta, api_version: context.apiVersion },
  };
}

export function collectionDocument(
  context: EngineContext,
  path: string,
  fetched: Fetched,
  query: Query,
  total: number,
  meta: Record<string, unknown> = {},
): Document {
  return {
    data: fetched.primary.map((node) => resourceObject(context, node, query)),
    ...includedMember(context, fetched, query),
    meta: { total_records: total, ...meta, api_version: context.apiVersion },
    ...(query.page ? { links: pageLinks(`${context.baseUrl}${path}`, query, query.page, total) } : {}),
  };
}

/** `{ links, data }` of a relationship endpoint. */
export function linkageDocument(context: EngineContext, node: Node, name: string) {
  return {
    links: relationshipLinks(context, node.resource.type, String(node.row.id), name),
    data: node.linkage.get(name) ?? null,
    meta: { api_version: context.apiVersion },
  };
}

/** The response of an action: nothing is stored, so there is only an identifier. */
export const actionDocument = (context: EngineContext, type: string, id: string): Document => ({
  data: { id, type },
  meta: { api_version: context.apiVersion },
});

function resourceObject(context: EngineContext, node: Node, query: Pick<Query, 'fields'>): ResourceObject {
  const { resource, row } = node;
  const fields = query.fields.get(resource.type);
  const id = String(row.id);
  const object: ResourceObject = { id, type: resource.type };

  const attributes: Record<string, unknown> = {};
  let shown = 0;
  for (const name in resource.attributes) {
    const attribute = resource.attributes[name];
    if (!attribute || attribute.column === null || (fields && !fields.has(name))) continue;
    const stored = row[name];
    attributes[name] = stored !== null && attribute.decode ? attribute.decode(stored as never, context) : stored;
    shown += 1;
  }
  if (shown > 0) object.attributes = attributes;

  const relationships: Record<string, RelationshipObject> = {};
  shown = 0;
  for (const name in resource.relationships) {
    const declared = resource.relationships[name];
    if (declared?.writeOnly || !hasFeature(context, declared?.feature) || (fields && !fields.has(name))) continue;
    const relationship: RelationshipObject = { links: relationshipLinks(context, resource.type, id, name) };
    const linkage = node.linkage.get(name);
    if (linkage !== undefined) relationship.data = linkage;
    relationships[name] = relationship;
    shown += 1;
  }
  if (shown > 0) object.relationships = relationships;

  const meta = resourceMeta(node);
  if (meta) object.meta = meta;
  return object;
}

function resourceMeta({ resource, row }: Node): Record<string, unknown> | null {
  if (Object.keys(resource.meta).length === 0) return null;
  if (!holds(resource.metaWhen ?? {}, row)) return null;
  return Object.fromEntries(
    Object.entries(resource.meta).map(([name, field]) => {
      const stored = row[`meta.${name}`];
      return [name, typeof stored === 'string' && field.type.startsWith('decimal') ? trimmedDecimal(stored) : stored];
    }),
  );
}

function includedMember(context: EngineContext, fetched: Fetched, query: Query): { included?: ResourceObject[] } {
  return query.include ? { included: fetched.included.map((node) => resourceObject(context, node, query)) } : {};
}

/** A type that is only included has no path of its own; it has no relationships either, so no link is ever built. */
function relationshipLinks(context: EngineContext, type: string, id: string, name: string) {
  const base = `${context.baseUrl}/${type}/${id}`;
  return { self: `${base}/relationships/${name}`, related: `${base}/${name}` };
}

export function pageLinks(
  url: string,
  query: Query,
  page: { number: number; size: number },
  total: number,
): Record<string, string> {
  const last = Math.max(1, Math.ceil(total / page.size));
  const link = (number: number) => `${url}?${writePageQuery(query.raw, number, page.size)}`;
  return {
    first: link(1),
    // Before a page past the end comes the last one.
    ...(page.number > 1 ? { prev: link(Math.min(page.number - 1, last)) } : {}),
    ...(page.number < last ? { next: link(page.number + 1) } : {}),
    last: link(last),
  };
}
