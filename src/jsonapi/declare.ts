/** How a resource file becomes a resource: defaults, relationships, ids. */
import { isUuid } from '../uuid.ts';
import type { Attribute } from './facts.ts';
import type { EngineContext, Relationship, Resource } from './resource.ts';
import { plainStorage, type StoredOperation } from './store.ts';

/** What a resource file states; what is left out has a default. docs/engine.md explains every member. */
export interface Declaration<C extends EngineContext>
  extends Partial<Omit<Resource<C>, 'type' | 'scope' | 'sort' | 'endpoints' | 'attributes' | 'relationships'>> {
  attributes: Record<string, Attribute>;
  relationships?: Record<string, Relationship>;
  table?: string;
  /** Keys that sort by the attribute of that name, or key → SQL. */
  sort?: readonly string[] | Readonly<Record<string, string>>;
  /** False leaves a reading endpoint out; writing endpoints follow from the workflows. */
  endpoints?: { list?: false; read?: false };
  /** The operations that the engine does itself, without a workflow. */
  stores?: readonly StoredOperation[];
}

/** Adds the defaults to a declaration. A product makes its own words from this (`catalogue`, `owned`). */
export function declare<C extends EngineContext>(
  scope: Resource<C>['scope'],
  type: string,
  declaration: Declaration<C>,
): Resource<C> {
  const { table = type, attributes, relationships = {}, sort = [], endpoints, stores = [], ...rest } = declaration;
  const named = mapValues(attributes, (attribute, name) =>
    attribute.column === '' ? { ...attribute, column: `t.${name}` } : attribute,
  );
  const workflows = { ...plainStorage(table, stores), ...rest };
  const isWritten = (operation: StoredOperation) =>
    workflows[operation] !== undefined || (rest.ownRoutes ?? []).includes(operation);
  return {
    type,
    scope,
    path: `/${type}`,
    from: `${table} t`,
    idColumn: 't.id',
    accountColumn: 't.account_id',
    attributes: named,
    relationships: mapValues(relationships, (relationship, name) =>
      relationship.column === '' ? { ...relationship, column: `t.${name}_id` } : relationship,
    ),
    meta: {},
    filters: {},
    sort: Array.isArray(sort) ? columnsOf(sort, named) : (sort as Readonly<Record<string, string>>),
    defaultSort: null,
    tieBreak: 't.id',
    paginated: true,
    singleton: false,
    relationshipEndpoints: true,
    stored: true,
    collectionMeta: {},
    readMeta: {},
    ...workflows,
    endpoints: {
      list: endpoints?.list ?? true,
      read: endpoints?.read ?? true,
      create: isWritten('create'),
      update: isWritten('update'),
      delete: isWritten('delete'),
    },
  };
}

interface RelationshipOptions extends Partial<Omit<Relationship, 'kind' | 'target' | 'create' | 'update'>> {
  write?: 'create' | 'update' | 'both';
}

/** One related record; its id is in the column `<name>_id` unless stated otherwise. */
export function toOne(target: string | readonly string[], options: RelationshipOptions = {}): Relationship {
  const { write, ...rest } = options;
  return { kind: 'one', target, nullable: false, column: options.writeOnly ? null : '', ...written(write), ...rest };
}

/** Many related records, found by a column of theirs (`via`) or a joining table (`through`). */
export function toMany(target: string, options: RelationshipOptions = {}): Relationship {
  const { write, ...rest } = options;
  return { kind: 'many', target, nullable: false, column: null, ...written(write), ...rest };
}

/** The target types of a relationship, as a list. */
export const targetsOf = (relationship: Relationship): readonly string[] =>
  typeof relationship.target === 'string' ? [relationship.target] : relationship.target;

/** An id as the database writes it; other texts stay as they are. */
export const canonicalId = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);

const written = (write: RelationshipOptions['write']) => ({
  ...(write === 'create' || write === 'both' ? { create: true } : {}),
  ...(write === 'update' || write === 'both' ? { update: true } : {}),
});

function columnsOf(keys: readonly string[], attributes: Readonly<Record<string, Attribute>>): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, attributes[key]?.column ?? `t.${key}`]));
}

export function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
