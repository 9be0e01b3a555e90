/** Sparse fieldsets (`fields[type]=a,b`) of requests in an older version. */

import { type ErrorObject, errors } from '../../jsonapi/errors.ts';
import type { Document, ResourceObject } from '../../jsonapi/linkage.ts';
import type { RawQuery } from '../../jsonapi/query-string.ts';

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
 * Keeps only the members that the client listed, by the names of its own version. One attribute of the newest version may
 * be several in an older one, and the client may want only one of those.
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
