/**
 * Which types a request reaches beside the one in its path: by `include`, related URLs, linkage, filters, sort keys,
 * the links it writes and the records that attributes name. For each of them the product is asked whether the caller
 * may.
 */
import { targetsOf } from './declare.ts';
import type { ReachedRoute, RouteFlags } from './engine.ts';
import { ApiError, errors } from './errors.ts';
import type { Attribute, ObjectType } from './facts.ts';
import type { Filter } from './filters.ts';
import { type Linkage, linkedBy, type ToManyInput } from './linkage.ts';
import type { TypedObject } from './parse-object.ts';
import type { Access, EngineContext, Relationship, Resource } from './resource.ts';
import type { Row } from './sql.ts';

type Caller = Pick<EngineContext, 'requireAccess'>;

const byMethod: Readonly<Record<string, Access>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'create',
  PATCH: 'update',
  PUT: 'update',
  DELETE: 'delete',
};

/** A change of a relationship is an update of its record, whatever its method. */
export function reachedRoute(method: string, { open = false, type, access, document }: RouteFlags): ReachedRoute {
  const usual = document ? 'update' : (byMethod[method] ?? 'update');
  return { open, type: type ?? null, access: access ?? usual };
}

/** A route that names no type has no rule, and is refused where there are rules. */
export function requireRoute(context: Caller, { type, access }: ReachedRoute): void {
  if (!context.requireAccess) return;
  if (type === null) throw unnamed('This path');
  context.requireAccess(type, access);
}

const unnamed = (what: string) => new ApiError([errors.forbidden(`${what} is not named by any rule of access.`)]);

/** For what shows records that a relationship leads to, or who they are. */
export function requireTargets({ requireAccess }: Caller, relationship: Relationship): void {
  if (requireAccess) for (const type of targetsOf(relationship)) requireAccess(type, 'read');
}

/**
 * For a filter or a sort key: one with a dot in its name looks at other records, through the relationship before the
 * dot.
 */
export function requireReads({ requireAccess }: Caller, resource: Resource, name: string, filter?: Filter): void {
  if (!requireAccess) return;
  const types = readsOf(resource, name, filter);
  if (types === null) throw unnamed(`The parameter ${name}`);
  for (const type of types) requireAccess(type, 'read');
}

/** The types that a filter or a sort key reads beside its own; null if nothing says so. */
export function readsOf({ relationships }: Resource, name: string, filter?: Filter): readonly string[] | null {
  if (filter?.reads) return filter.reads;
  const [first = '', ...rest] = (filter?.facts.aliasOf ?? name).split('.');
  if (rest.length === 0) return [];
  const relationship = Object.hasOwn(relationships, first) ? relationships[first] : undefined;
  return relationship ? targetsOf(relationship) : null;
}

/** Linking to a record names it. Where the other side has the column, its records are changed. */
export function requireLinks(
  { requireAccess }: Caller,
  relationship: Relationship,
  sent: Linkage | ToManyInput | null,
): void {
  if (!requireAccess) return;
  if (relationship.via) for (const type of targetsOf(relationship)) requireAccess(type, 'update');
  for (const type of new Set(linkedBy(sent).map((link) => link.type))) requireAccess(type, 'name');
}

/** For attributes with the id, or the number, of a record. */
export function requireNamed({ requireAccess }: Caller, resource: Resource, sent: Row): void {
  if (!requireAccess) return;
  for (const type of namedBy(resource, sent)) requireAccess(type, 'name');
}

/** The types of the records that these attributes name, in nested objects too. */
function namedBy({ attributes }: Pick<Resource, 'attributes'>, sent: Row): Set<string> {
  const given = Object.entries(sent).filter(([, value]) => value !== null && value !== undefined);
  return new Set(
    given.flatMap(([name, value]) => {
      const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
      if (attribute === undefined) return [];
      return [...listed(attribute.facts.names), ...namedInside(attribute, value)];
    }),
  );
}

function namedInside({ objectTypes, members }: Attribute, value: unknown): string[] {
  const objects = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'object' && one !== null);
  if (members) return objects.flatMap((object: Row) => namedByMembers(members, object));
  if (!objectTypes) return [];
  return objects.flatMap(({ type, attributes }: TypedObject) => namedByMembers(objectTypes[type] ?? {}, attributes));
}

const namedByMembers = (declared: ObjectType, sent: Row): string[] =>
  Object.entries(declared).flatMap(([name, { names }]) => ((sent[name] ?? null) === null ? [] : listed(names)));

const listed = (type: string | undefined): string[] => (type === undefined ? [] : [type]);
