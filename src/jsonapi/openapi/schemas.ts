/** Small words for building schemas. */
import type { Schema } from '../../openapi/types.ts';

export type Schemas = Record<string, Schema>;

export const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** An object that has these members and no other. */
export function strictObject(properties: Schemas, required: readonly string[] = Object.keys(properties)): Schema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

export const arrayOf = (items: Schema): Schema => ({ type: 'array', items });

/** One of several objects that say in `type` which they are. The component names are the values of `type`. */
export function taggedUnion(names: readonly string[], refOf: (name: string) => Schema = schemaRef): Schema {
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return refOf(only);
  return { type: 'object', oneOf: names.map(refOf), discriminator: { propertyName: 'type' } };
}

export const orNull = (schema: Schema): Schema => ({ oneOf: [schema, { type: 'null' }] });

export const mapValues = <T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T, name: string) => U,
): Record<string, U> => Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
