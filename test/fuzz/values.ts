/** Values that a schema allows, as far as it says, about records that are there. */

import type { OpenApiDocument, Schema } from '../../src/engines/openapi/types.ts';
import type { SeededRandom } from '../../src/engines/sip/simulation/seeded-random.fixture.ts';
import type { Memory } from './memory.ts';

export interface Source {
  random: SeededRandom;
  memory: Memory;
  components: OpenApiDocument['components'];
}

/** Deeper than this only what is required is there. */
const deepest = 6;
const words = ['London', 'a+b & ü', 'x', '0', 'Zürich', '日本', '+442037691880', '44203769', 'sip.example.com'];
const times = ['2026-11-19T12:00:00Z', '2018-12-21T08:00:00.123456789Z', '2030-01-01T00:00:00+05:30'];

export function valueFor(schema: Schema, source: Source, depth = 0): unknown {
  const { random } = source;
  if (schema.$ref !== undefined) return valueFor(resolved(schema.$ref, source), source, depth);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined && schema.enum.length > 0) return structuredClone(random.pick(schema.enum));
  if (schema.examples !== undefined && schema.examples.length > 0 && random.chance(0.5))
    return structuredClone(random.pick(schema.examples));
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined && choices.length > 0) {
    const chosen = valueFor(random.pick(choices), source, depth + 1);
    return schema.properties && isRecord(chosen) ? { ...objectOf(schema, source, depth), ...chosen } : chosen;
  }
  const type = typeof schema.type === 'string' ? schema.type : random.pick(schema.type ?? ['object']);
  switch (type) {
    case 'object':
      return objectOf(schema, source, depth);
    case 'array':
      return listOf(schema, source, depth);
    case 'integer':
      return numberOf(schema, random);
    case 'number':
      return numberOf(schema, random) + random.pick([0, 0.5, 0.01]);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return textOf(schema, random);
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const resolved = (reference: string, { components }: Source): Schema =>
  components.schemas?.[reference.replace(/^.*\//, '')] ?? {};

function objectOf({ properties = {}, required = [] }: Schema, source: Source, depth: number): Record<string, unknown> {
  const { random, memory } = source;
  const made: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(properties)) {
    if (required.includes(name) || random.chance(depth > deepest ? 0 : 0.4))
      made[name] = valueFor(schema, source, depth + 1);
  }
  // A record or a link to one: mostly one that is there.
  if (typeof made.type === 'string' && 'id' in properties && random.chance(0.8))
    made.id = memory.idOf(made.type, random) ?? newUuid(random);
  for (const [name, value] of Object.entries(made))
    if (/^\w+_id$/.test(name) && value !== null && random.chance(0.8))
      made[name] = memory.idOf(typeOfReference(name), random) ?? value;
  return made;
}

/** `sku_id` and the like name no type of that spelling. */
const typeOfReference = (member: string): string =>
  member === 'sku_id' ? 'stock_keeping_units' : `${member.replace(/_id$/, '')}s`;

function listOf({ items = {}, minItems = 0, maxItems = 4 }: Schema, source: Source, depth: number): unknown[] {
  const length = Math.max(minItems, source.random.below(Math.min(maxItems, 4) + 1));
  return Array.from({ length: depth > deepest ? minItems : length }, () => valueFor(items, source, depth + 1));
}

function numberOf({ minimum, exclusiveMinimum, maximum }: Schema, random: SeededRandom): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? 0 : exclusiveMinimum + 1);
  const most = Math.min(maximum ?? least + 100, least + 1_000);
  return random.pick([least, most, least + random.below(most - least + 1)]);
}

function textOf({ format, minLength = 0, maxLength = 60 }: Schema, random: SeededRandom): string {
  switch (format) {
    case 'uuid':
      return newUuid(random);
    case 'date-time':
      return random.pick(times);
    case 'date':
      return '2026-11-19';
    case 'uri':
      return random.pick(['http://127.0.0.1:9/', 'https://example.com/a?b=c']);
    case 'email':
      return random.pick(['someone@example.com', 'a+b@example.org']);
    default:
      return random.pick(words).padEnd(minLength, '7').slice(0, Math.max(maxLength, minLength));
  }
}

export function newUuid(random: SeededRandom): string {
  const digits = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('');
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5').slice(0, 36);
}
