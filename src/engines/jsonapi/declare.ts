/**
 * How a resource file becomes a resource: defaults, relationships, ids. By hand: libraries for JSON:API write
 * documents; none takes a declaration to routes, SQL, errors and OpenAPI.
 */
import { isUuid } from '../../base/uuid.ts';
import type { Attribute } from './facts.ts';
import type { AnswerNow, DuringUpdate, EngineContext, Relationship, Resource } from './resource.ts';
import type { Attributes, CreateOf, Relationships, UpdateOf } from './sent.ts';
import { plainStorage, type StoredOperation } from './store.ts';

type Redeclared = 'type' | 'scope' | 'sort' | 'endpoints' | 'attributes' | 'relationships' | 'create' | 'update';

/** What a resource file states; what is left out has a default. docs/engine.md explains every member. */
export interface Declaration<
  C extends EngineContext,
  A extends Attributes = Attributes,
  R extends Relationships = Relationships,
> extends Partial<Omit<Resource<C>, Redeclared>> {
  attributes: A;
  relationships?: R;
  /** Creates one record and returns its id. */
  create?: (context: C, input: CreateOf<A, R>, answer: AnswerNow) => Promise<string>;
  update?: (context: C, id: string, input: UpdateOf<A, R>, during: DuringUpdate) => Promise<void>;
  table?: string;
  /** Keys that sort by the attribute of that name, or key → SQL. */
  sort?: readonly string[] | Readonly<Record<string, string>>;
  /** False leaves a reading endpoint out; writing endpoints follow from the workflows. */
  endpoints?: { list?: false; read?: false };
  /** The operations that the engine does itself, without a workflow. */
  stores?: readonly StoredOperation[];
}

/** Adds the defaults to a declaration. A product makes its own words from this (`catalogue`, `owned`). */
export function declare<
  C extends EngineContext,
  A extends Attributes = Attributes,
  R extends Relationships = Relationships,
>(scope: Resource<C>['scope'], type: string, declaration: Declaration<C, A, R>): Resource<C>;
export function declare(scope: Resource['scope'], type: string, declaration: Declaration<EngineContext>): Resource {
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

/** With what the compiler has to know of it (sent.ts). */
interface TypedRelationship<M extends boolean, O> extends Relationship {
  /** Never set. */
  readonly typed?: { many: M; options: O };
}

/** One related record; its id is in the column `<name>_id` unless stated otherwise. */
export function toOne<const O extends RelationshipOptions = object>(
  target: string | readonly string[],
  options?: O,
): TypedRelationship<false, O> {
  const { write, ...rest }: RelationshipOptions = options ?? {};
  return { kind: 'one', target, nullable: false, column: rest.writeOnly ? null : '', ...written(write), ...rest };
}

/** Many related records, found by a column of theirs (`via`) or a joining table (`through`). */
export function toMany<const O extends RelationshipOptions = object>(
  target: string,
  options?: O,
): TypedRelationship<true, O> {
  const { write, ...rest }: RelationshipOptions = options ?? {};
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
