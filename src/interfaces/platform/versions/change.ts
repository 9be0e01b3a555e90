/**
 * A difference between two API versions, the kinds of them that occur often, and sparse fieldsets of older versions.
 */
import type { VersionedRequest } from '../../../engines/jsonapi/engine.ts';
import { type ErrorObject, errors, throwAny } from '../../../engines/jsonapi/errors.ts';
import type { Document, ResourceObject } from '../../../engines/jsonapi/linkage.ts';
import type { RawQuery } from '../../../engines/jsonapi/query-string.ts';

/** One difference between two versions, for one type. */
export interface Change {
  /** The newest name of the type whose requests and resources change. */
  type: string;
  /** Upgrades the query and body of a request for the type. */
  request?: (request: VersionedRequest) => VersionedRequest;
  /** Upgrades `fields[…]` of any request, because the response may include the type. */
  fieldsets?: (query: RawQuery) => RawQuery;
  /** Downgrades a resource of the type. */
  response?: (resource: ResourceObject) => ResourceObject;
  /** Downgrades a URL in the `links` of a document. */
  link?: (link: string) => string;
  /** Downgrades the detail and pointer of an error. */
  error?: (problem: ErrorObject) => ErrorObject;
}

type Members = Record<string, unknown>;

/** An attribute had another name. */
export function renamedAttribute(type: string, newName: string, oldName: string): Change {
  const rename = (names: string): string =>
    names
      .split(',')
      .map((name) => (name.replace(/^-/, '') === oldName ? name.replace(oldName, newName) : name))
      .join(',');
  return {
    type,
    fieldsets: (query) => mapFields(query, type, rename),
    request: ({ query, body }) => ({
      query: query.map(([key, value]) => {
        if (key === 'sort') return [key, rename(value)] as const;
        return [key === `filter[${oldName}]` ? `filter[${newName}]` : key, value] as const;
      }),
      body: withAttributes(body, (attributes) => renameMember(attributes, oldName, newName)),
    }),
    response: (resource) => mapAttributes(resource, (attributes) => renameMember(attributes, newName, oldName)),
  };
}

/** The values of an attribute were spelled differently; `words` maps the newest spelling to the older one. */
export function otherWords(type: string, name: string, words: Readonly<Record<string, string>>): Change {
  const newest = Object.fromEntries(Object.entries(words).map(([newWord, oldWord]) => [oldWord, newWord]));
  const translated = (attributes: Members, by: Readonly<Record<string, string>>): Members => {
    const value = attributes[name];
    return typeof value === 'string' ? { ...attributes, [name]: by[value] ?? value } : attributes;
  };
  const upgraded = (values: string): string =>
    values
      .split(',')
      .map((word) => newest[word] ?? word)
      .join(',');
  return {
    type,
    request: ({ query, body }) => ({
      query: query.map(([key, value]) => [key, key === `filter[${name}]` ? upgraded(value) : value] as const),
      body: withAttributes(body, (attributes) => translated(attributes, newest)),
    }),
    response: (resource) => mapAttributes(resource, (attributes) => translated(attributes, words)),
  };
}

interface Names {
  attributes?: readonly string[];
  relationships?: readonly string[];
}

/**
 * Attributes and relationships that the older version did not have: a request that names them names something unknown.
 */
export function added(type: string, names: Names): Change {
  return {
    ...unshown(type, names),
    fieldsets: (query) => {
      const { attributes = [], relationships = [] } = names;
      throwAny(unknownFields(query, type, [...attributes, ...relationships]));
      return query;
    },
    request: (request) => {
      throwAny([...unknownMembers(request.body, names), ...unknownWords(type, request.query, names)]);
      return request;
    },
  };
}

function unknownMembers(body: unknown, { attributes = [], relationships = [] }: Names): ErrorObject[] {
  if (!isObject(body) || !isObject(body.data)) return [];
  const { attributes: sent, relationships: linked } = body.data;
  return [
    ...attributes.filter((name) => isObject(sent) && name in sent),
    ...relationships.filter((name) => isObject(linked) && name in linked),
  ].map(errors.paramNotAllowed);
}

function unknownWords(type: string, query: RawQuery, { attributes = [], relationships = [] }: Names): ErrorObject[] {
  const names = [...attributes, ...relationships];
  return query.flatMap(([key, value]): ErrorObject[] => {
    const words = value.split(',');
    const filter = /^filter\[(.*)\]$/.exec(key)?.[1];
    if (filter !== undefined) {
      return names.includes(filter.split('.', 1)[0] ?? '') ? [errors.filterNotAllowed(filter)] : [];
    }
    if (key === 'sort') {
      const sorts = words.map((word) => word.replace(/^-/, ''));
      return sorts.filter((word) => attributes.includes(word)).map((word) => errors.invalidSort(word, type));
    }
    if (key !== 'include') return [];
    const heads = words.map((path) => path.split('.', 1)[0] ?? '');
    return heads.filter((name) => relationships.includes(name)).map((name) => errors.invalidInclude(name, type));
  });
}

/** Attributes and relationships that the older version accepted but did not return. */
export function unshown(type: string, names: Names): Change {
  const { attributes = [], relationships = [] } = names;
  return {
    type,
    response: (resource) => ({
      ...resource,
      ...(resource.attributes ? { attributes: without(resource.attributes, attributes) } : {}),
      ...(resource.relationships ? { relationships: without(resource.relationships, relationships) } : {}),
    }),
  };
}

/** Changes the attributes of a request's document, if it has one. */
export function withAttributes(body: unknown, change: (attributes: Members) => Members): unknown {
  if (!isObject(body) || !isObject(body.data) || !isObject(body.data.attributes)) return body;
  return { ...body, data: { ...body.data, attributes: change(body.data.attributes) } };
}

export const mapAttributes = (resource: ResourceObject, change: (attributes: Members) => Members): ResourceObject =>
  resource.attributes ? { ...resource, attributes: change(resource.attributes) } : resource;

/** Renames a member without changing the order of the members. */
export function renameMember<T>(members: Readonly<Record<string, T>>, from: string, to: string): Record<string, T> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name === from ? to : name, value]));
}

export const without = <T>(members: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** For `otherWords`: `pending` was `Pending`. */
export const capitalised = (words: readonly string[]): Record<string, string> =>
  Object.fromEntries(words.map((word) => [word, word.charAt(0).toUpperCase() + word.slice(1)]));

/** A type that a version introduced, or new methods of an existing type. */
export interface NewPath {
  type: string;
  methods?: readonly string[];
}

/** Rewrites the field names that the query lists for one type. */
export const mapFields = (query: RawQuery, type: string, rewrite: (names: string) => string): RawQuery =>
  query.map(([key, value]) => (key === `fields[${type}]` ? ([key, rewrite(value)] as const) : ([key, value] as const)));

/** Returns an error for each of these names that the query lists for the type; the older version does not know them. */
export function unknownFields(query: RawQuery, type: string, names: readonly string[]): ErrorObject[] {
  return query
    .flatMap(([key, value]) => (key === `fields[${type}]` ? value.split(',') : []))
    .filter((word) => names.includes(word))
    .map((word) => errors.invalidField(word, type));
}

/**
 * Keeps only the members that the client listed, by the names of its own version. One attribute of the newest version
 * may be several in an older one, and the client may want only one of those.
 */
export function keepFields(document: Document, query: RawQuery): Document {
  const fields = new Map(query.flatMap(([key, value]) => fieldsetOf(key, value)));
  if (fields.size === 0) return document;
  const keep = (resource: ResourceObject): ResourceObject => {
    const names = fields.get(resource.type);
    return names ? narrowed(resource, names) : resource;
  };
  const { data, included } = document;
  return {
    ...document,
    ...(data ? { data: Array.isArray(data) ? data.map(keep) : keep(data) } : {}),
    ...(included ? { included: included.map(keep) } : {}),
  };
}

function fieldsetOf(key: string, value: string): [type: string, names: ReadonlySet<string>][] {
  const type = /^fields\[(.+)\]$/.exec(key)?.[1];
  return type === undefined ? [] : [[type, new Set(value.split(','))]];
}

function narrowed({ attributes = {}, relationships = {}, ...rest }: ResourceObject, names: ReadonlySet<string>) {
  const kept = <T>(members: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(members).filter(([name]) => names.has(name)));
  const [keptAttributes, keptRelationships] = [kept(attributes), kept(relationships)];
  const { id, type, ...further } = rest;
  return {
    id,
    type,
    ...(Object.keys(keptAttributes).length > 0 ? { attributes: keptAttributes } : {}),
    ...(Object.keys(keptRelationships).length > 0 ? { relationships: keptRelationships } : {}),
    ...further,
  };
}
