/**
 * JSON Schemas that know their TypeScript type: one declaration types a body, checks it and appears in the API
 * reference. Ajv checks (Fastify brings it along), compiled when a schema is first used.
 */
import { Ajv, type ErrorObject } from 'ajv';
import addFormats from 'ajv-formats';
import type { Schema } from './openapi/types.ts';

declare const type: unique symbol;
const mayBeMissing = Symbol('may be missing');

/** A schema whose values are a `T`. */
export interface TypedSchema<T = unknown> extends Schema {
  readonly [type]?: () => T;
}
interface OptionalMember<T> extends TypedSchema<T> {
  readonly [mayBeMissing]: true;
}
/** The type of the values that a schema allows. */
export type Static<S> = S extends TypedSchema<infer T> ? T : never;

type Members = Readonly<Record<string, TypedSchema>>;
type OptionalNames<M> = { [N in keyof M]: M[N] extends OptionalMember<unknown> ? N : never }[keyof M];
type ObjectOf<M> = { [N in Exclude<keyof M, OptionalNames<M>>]: Static<M[N]> } & {
  [N in OptionalNames<M>]?: Static<M[N]>;
};
type Plain<T> = { [N in keyof T]: T[N] };

/** Builds schemas. Every one takes further keywords, such as a description, as its last argument. */
export const shape = {
  /** Other members are allowed unless `additionalProperties` is false. */
  object<const M extends Members>(members: M, keywords: Schema = {}): TypedSchema<Plain<ObjectOf<M>>> {
    const required = Object.keys(members).filter((name) => !(mayBeMissing in (members[name] ?? {})));
    return { type: 'object', ...(required.length > 0 && { required }), properties: members, ...keywords };
  },
  optional: <T>(schema: TypedSchema<T>): OptionalMember<T> => ({ ...schema, [mayBeMissing]: true }),
  array: <T>(items: TypedSchema<T>, keywords: Schema = {}): TypedSchema<T[]> => ({ type: 'array', items, ...keywords }),
  /** An object with any names, whose values are all of one type. */
  record: <T>(values: TypedSchema<T>, keywords: Schema = {}): TypedSchema<Record<string, T>> => ({
    type: 'object',
    additionalProperties: values,
    ...keywords,
  }),
  string: (keywords: Schema = {}): TypedSchema<string> => ({ type: 'string', ...keywords }),
  integer: (keywords: Schema = {}): TypedSchema<number> => ({ type: 'integer', ...keywords }),
  number: (keywords: Schema = {}): TypedSchema<number> => ({ type: 'number', ...keywords }),
  boolean: (keywords: Schema = {}): TypedSchema<boolean> => ({ type: 'boolean', ...keywords }),
  null: (): TypedSchema<null> => ({ type: 'null' }),
  /** Exactly this value. */
  constant: <const T extends string | true>(value: T, keywords: Schema = {}): TypedSchema<T> => ({
    type: typeof value,
    const: value,
    ...keywords,
  }),
  /** One of these words. */
  word: <const W extends string>(words: readonly W[], keywords: Schema = {}): TypedSchema<W> => ({
    type: 'string',
    enum: words,
    ...keywords,
  }),
  either: <A, B>(one: TypedSchema<A>, other: TypedSchema<B>, keywords: Schema = {}): TypedSchema<A | B> => ({
    anyOf: [one, other],
    ...keywords,
  }),
};

interface Checker<T> {
  allows(value: unknown): value is T;
  /** What is wrong with a value, beginning with the member that is wrong: `do.delay_ms must be >= 1`. */
  problemOf(value: unknown): string;
}

const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false });
addFormats.default(ajv, ['date-time']);

export function checkerOf<T>(schema: TypedSchema<T>): Checker<T> {
  let compiled: ReturnType<typeof ajv.compile> | undefined;
  const check = (value: unknown): readonly ErrorObject[] => {
    compiled ??= ajv.compile(schema);
    return compiled(value) ? [] : (compiled.errors ?? []);
  };
  return {
    allows: (value): value is T => check(value).length === 0,
    problemOf: (value) => textOf(check(value)),
  };
}

/** The last error is about the whole; those before it say why each alternative does not fit. */
function textOf(errors: readonly ErrorObject[]): string {
  const error = errors.at(-1);
  if (error === undefined) return 'is valid';
  const { keyword, params, instancePath, message = 'is not valid' } = error;
  const at = (what: string, ...member: string[]): string => {
    const path = [...instancePath.slice(1).split('/'), ...member].filter(Boolean).join('.');
    return path === '' ? what : `${path} ${what}`;
  };
  if (keyword === 'additionalProperties') return at('is not known', String(params.additionalProperty));
  if (keyword === 'required') return at('is missing', String(params.missingProperty));
  if (keyword === 'enum') return at(`must be one of ${(params.allowedValues as string[]).join(', ')}`);
  if (keyword === 'const') return at(`must be ${JSON.stringify(params.allowedValue)}`);
  if (keyword === 'anyOf') return at(`must ${alternativesOf(errors.slice(0, -1))}`);
  return at(message);
}

const alternativesOf = (errors: readonly ErrorObject[]): string =>
  [...new Set(errors.map(({ message = '' }) => message.replace(/^must /, '')))].join(' or ');
