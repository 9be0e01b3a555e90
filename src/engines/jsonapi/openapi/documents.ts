/** The schemas of response documents: single, collection, linkage, errors. */
import type { Schema } from '../../openapi/types.ts';
import { targetsOf } from '../declare.ts';
import type { Registry, Relationship, Resource } from '../resource.ts';
import { linkageSchema, readableRelationships } from './resources.ts';
import { arrayOf, orNull, type Schemas, schemaRef, strictObject, taggedUnion } from './schemas.ts';

const uri: Schema = { type: 'string', format: 'uri' };
const count: Schema = { type: 'integer', minimum: 0 };
const apiVersion: Schema = {
  type: 'string',
  description: 'The version that served the request.',
  examples: ['2026-04-16'],
};

/** Components that every type's documents share. */
export const sharedSchemas: Schemas = {
  relationship_links: strictObject({
    self: { ...uri, description: 'The linkage of this relationship.' },
    related: { ...uri, description: 'What is related.' },
  }),
  page_links: {
    ...strictObject({ first: uri, prev: uri, next: uri, last: uri }, ['first', 'last']),
    description: '`prev` and `next` are left out at the ends.',
  },
  error: strictObject(
    {
      title: { type: 'string' },
      detail: { type: 'string' },
      code: { type: 'string', description: 'The kind of error; not the HTTP status.' },
      source: strictObject({ pointer: { type: 'string', description: 'Where in the request document.' } }),
      status: { type: 'string', description: 'The HTTP status.' },
      meta: { type: 'object', additionalProperties: { type: 'string' } },
    },
    ['title', 'detail', 'code', 'status'],
  ),
  errors_document: strictObject({
    errors: { type: 'array', items: schemaRef('error'), minItems: 1 },
    meta: strictObject({ api_version: apiVersion }),
  }),
};

/** The types a request for `resource` can show: itself, and whatever include paths of any depth lead to. */
export function reachableTypes(registry: Registry, resource: Resource): string[] {
  const found = new Set<string>();
  const visit = (type: string) => {
    const next = registry.get(type);
    if (!next || found.has(type)) return;
    found.add(type);
    for (const relationship of Object.values(readableRelationships(next))) targetsOf(relationship).forEach(visit);
  };
  for (const relationship of Object.values(readableRelationships(resource))) targetsOf(relationship).forEach(visit);
  return [...found];
}

export function singleDocumentSchema(registry: Registry, resource: Resource, meta: readonly string[] = []): Schema {
  return document(registry, [resource], schemaRef(resource.type), metaSchema(meta, resource.metaDocs));
}

export function collectionDocumentSchema(registry: Registry, resource: Resource, meta: readonly string[] = []): Schema {
  const links = resource.paginated ? { links: schemaRef('page_links') } : {};
  return document(
    registry,
    [resource],
    arrayOf(schemaRef(resource.type)),
    metaSchema(['total_records', ...meta], resource.metaDocs),
    links,
  );
}

/** `{ links, data }` of `GET /{type}/{id}/relationships/{name}`. */
export const linkageDocumentSchema = (relationship: Relationship): Schema =>
  strictObject({ links: schemaRef('relationship_links'), data: linkageSchema(relationship), meta: metaSchema([]) });

/** `GET /{type}/{id}/{name}`. A related type that is not there yet has no records. */
export function relatedDocumentSchema(registry: Registry, relationship: Relationship): Schema {
  const targets = targetsOf(relationship).flatMap((type) => registry.get(type) ?? []);
  const [only] = targets;
  if (relationship.kind === 'many') {
    if (only) return collectionDocumentSchema(registry, only);
    return strictObject({ data: { type: 'array', maxItems: 0 }, meta: metaSchema(['total_records']) });
  }
  if (!only) return strictObject({ data: { type: 'null' }, meta: metaSchema([]) });
  return document(registry, targets, orNull(taggedUnion(targets.map(({ type }) => type))), metaSchema([]));
}

/** `included` is there only when `include` was sent. */
function document(
  registry: Registry,
  resources: readonly Resource[],
  data: Schema,
  meta: Schema,
  links: Schemas = {},
): Schema {
  const included: Schemas = includedSchema(registry, resources);
  return strictObject({ data, ...included, meta, ...links }, ['data', 'meta', ...Object.keys(links)]);
}

function includedSchema(registry: Registry, resources: readonly Resource[]): Schemas {
  const types = [...new Set(resources.flatMap((resource) => reachableTypes(registry, resource)))];
  const [only, ...others] = resources;
  if (types.length === 0) return {};
  return { included: only && others.length === 0 ? schemaRef(includedName(only.type)) : arrayOf(taggedUnion(types)) };
}

const includedName = (type: string): string => `${type}_included`;

/** What a document about a type can include, as one component each: some types reach nearly all others. */
export function includedSchemas(registry: Registry): Schemas {
  return Object.fromEntries(
    registry.all().flatMap((resource) => {
      const types = reachableTypes(registry, resource);
      return types.length > 0 ? [[includedName(resource.type), arrayOf(taggedUnion(types))]] : [];
    }),
  );
}

const countDocs: Readonly<Record<string, string>> = {
  total_records: 'How many records match, on all pages together.',
};

const metaSchema = (counts: readonly string[], docs: Readonly<Record<string, string>> = {}): Schema => {
  const known = { ...countDocs, ...docs };
  const described = counts.map((name): [string, Schema] => {
    const description = known[name];
    return [name, description ? { ...count, description } : count];
  });
  return strictObject({ ...Object.fromEntries(described), api_version: apiVersion });
};
