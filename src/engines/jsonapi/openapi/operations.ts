/** The path items of one resource type, as the engine routes them. */
import type { Operation, Parameter, PathItem, Reference, Schema } from '../../openapi/types.ts';
import { mediaType } from '../http.ts';
import { isChangeable, type RelationshipVerb } from '../relationship-routes.ts';
import type { Registry, Relationship, Resource } from '../resource.ts';
import { derivedEndpoints } from '../routes.ts';
import {
  collectionDocumentSchema,
  linkageDocumentSchema,
  relatedDocumentSchema,
  singleDocumentSchema,
} from './documents.ts';
import { idempotencyParameterName, idParameter, listParameters, parameterRef, shapeParameters } from './parameters.ts';
import { readableRelationships, writtenRelationship } from './resources.ts';
import { type Circumstances, errorResponses, type Schemas, schemaRef } from './schemas.ts';
import { nounsOf, oneOf, type RelationshipTitles, relationshipTitles } from './titles.ts';

interface Derived {
  paths: Record<string, PathItem>;
  schemas: Schemas;
}

export function deriveOperations(registry: Registry, resource: Resource, prefix: string): Derived {
  const derived: Derived = { paths: {}, schemas: documentSchemas(registry, resource) };
  if (resource.path === null) return derived;
  describePath(registry, resource, `${prefix}${resource.path}`, derived.paths);
  return derived;
}

const documentName = (type: string): string => `${type}_document`;
const readDocumentName = ({ type, readMeta }: Resource): string =>
  Object.keys(readMeta).length > 0 ? `${type}_read_document` : documentName(type);
const collectionName = (type: string): string => `${type}_collection`;

function documentSchemas(registry: Registry, resource: Resource): Schemas {
  const { type, endpoints } = resource;
  if (resource.path === null) return {};
  const readMeta = Object.keys(resource.readMeta);
  return {
    ...(endpoints.read || endpoints.create || endpoints.update
      ? { [documentName(type)]: singleDocumentSchema(registry, resource) }
      : {}),
    ...(readMeta.length > 0
      ? { [readDocumentName(resource)]: singleDocumentSchema(registry, resource, readMeta) }
      : {}),
    ...(endpoints.list
      ? { [collectionName(type)]: collectionDocumentSchema(registry, resource, Object.keys(resource.collectionMeta)) }
      : {}),
  };
}

function describePath(registry: Registry, resource: Resource, path: string, paths: Record<string, PathItem>): void {
  const { type, singleton } = resource;
  const endpoints = derivedEndpoints(resource);
  const describe = (id: string, summary: string, details: Details) => operation(resource, id, summary, details);
  const one = singleton ? path : `${path}/{id}`;
  const id = singleton ? [] : [idParameter];
  const shape = shapeParameters(resource);

  const all: PathItem = {};
  if (endpoints.list) {
    all.get = describe(`list_${type}`, `List ${nounsOf(resource).many}`, {
      parameters: listParameters(resource),
      success: [200, schemaRef(collectionName(type))],
      cached: true,
    });
  }
  if (endpoints.create) {
    all.post = describe(`create_${type}`, resource.title ?? `Create ${oneOf(resource)}`, {
      parameters: [...(resource.stored ? shape : []), parameterRef(idempotencyParameterName)],
      body: schemaRef(`${type}_create`),
      success: [201, schemaRef(documentName(type))],
      writes: true,
    });
  }
  if (Object.keys(all).length > 0) paths[path] = all;

  const each: PathItem = {};
  if (endpoints.read) {
    each.get = describe(`read_${type}`, `Get ${oneOf(resource)}`, {
      parameters: [...id, ...shape],
      success: [200, schemaRef(readDocumentName(resource))],
      named: true,
      cached: true,
    });
  }
  if (endpoints.update) {
    const update: Details = {
      parameters: [...id, ...shape],
      body: schemaRef(`${type}_update`),
      success: [200, schemaRef(documentName(type))],
      named: true,
      writes: true,
    };
    each.patch = describe(`update_${type}`, `Update ${oneOf(resource)}`, update);
    each.put = describe(`replace_${type}`, `Update ${oneOf(resource)} (PUT)`, update);
  }
  if (endpoints.delete) {
    each.delete = describe(`delete_${type}`, `${resource.deleteVerb ?? 'Delete'} ${oneOf(resource)}`, {
      parameters: id,
      success: [resource.deletedStatus ?? 204],
      named: true,
      writes: true,
    });
  }
  if (Object.keys(each).length > 0) paths[one] = { ...paths[one], ...each };
  if (!endpoints.read || !resource.relationshipEndpoints) return;
  const changes = (relationship: Relationship, name: string, titles: RelationshipTitles): PathItem => {
    const change = (verb: RelationshipVerb) =>
      describe(`${verb === 'replace' ? 'set' : verb}_link_${type}_${name}`, titles[verb], {
        parameters: id,
        description: explainChange(relationship, verb),
        body: writtenRelationship(relationship),
        success: [204],
        named: true,
        writes: true,
        tag: relationshipsTag,
      });
    const members = { post: change('add'), delete: change('remove') };
    return { patch: change('replace'), ...(relationship.kind === 'many' ? members : {}) };
  };
  for (const [name, relationship] of Object.entries(readableRelationships(resource))) {
    const titles = relationshipTitles(registry, resource, name, relationship);
    paths[`${one}/relationships/${name}`] = {
      get: describe(`link_${type}_${name}`, titles.linkage, {
        parameters: id,
        success: [200, linkageDocumentSchema(relationship)],
        named: true,
        cached: true,
        tag: relationshipsTag,
      }),
      ...(isChangeable(resource, relationship) ? changes(relationship, name, titles) : {}),
    };
    const target = registry.get([relationship.target].flat()[0] ?? '');
    const shown = target ? (relationship.kind === 'many' ? listParameters(target) : shapeParameters(target)) : [];
    paths[`${one}/${name}`] = {
      get: describe(`related_${type}_${name}`, titles.related, {
        parameters: [...id, ...shown],
        success: [200, relatedDocumentSchema(registry, relationship)],
        named: true,
        cached: true,
        tag: relationshipsTag,
      }),
    };
  }
}

/** The name under which a product says how its callers prove who they are. */
export const securitySchemeName = 'api_key';

/** Operations on relationships have a tag of their own: they are so many that they would hide the others. */
export const relationshipsTag = 'Relationships';

interface Details extends Circumstances {
  parameters: readonly (Parameter | Reference)[];
  body?: Schema;
  success: [status: 200 | 201 | 202 | 204, schema?: Schema];
  /** Another than the type's summary. */
  description?: string;
  /** Another than the type's own group. */
  tag?: string;
}

/** What a change of a relationship does, after the line about the relationship itself. */
function explainChange({ kind, doc = '', nullOnly, nullable }: Relationship, verb: RelationshipVerb): string {
  const effects = {
    replace: 'The identifiers sent become all of its members; an empty list takes every one out.',
    add: 'The identifiers sent join its members; those that are members already stay, once. Parallel requests all count.',
    remove: 'The identifiers sent leave its members; those that are not members are ignored.',
  };
  const set = nullOnly
    ? 'Only null can be sent.'
    : nullable
      ? 'Null takes it away.'
      : 'It can be changed, not taken away.';
  return `${doc} ${kind === 'many' ? effects[verb] : set} Everything else of the record stays as it is.`.trim();
}

const successTexts = {
  200: 'The document.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done; there is nothing to say.',
} as const;

function operation(resource: Resource, operationId: string, summary: string, details: Details): Operation {
  const { parameters, description = resource.summary, body, success, tag, ...circumstances } = details;
  const [status, schema] = success;
  const open = resource.scope === 'public';
  return {
    operationId,
    summary,
    ...(description ? { description } : {}),
    tags: [tag ?? resource.group ?? 'Other'],
    security: open ? [] : [{ [securitySchemeName]: [] }],
    parameters: [...parameters, parameterRef('api_version')],
    ...(body ? { requestBody: { required: true, content: { [mediaType]: { schema: body } } } } : {}),
    responses: {
      [String(status)]: {
        description: successTexts[status],
        ...(schema ? { content: { [mediaType]: { schema } } } : {}),
      },
      ...errorResponses({ ...circumstances, open }),
    },
  };
}
