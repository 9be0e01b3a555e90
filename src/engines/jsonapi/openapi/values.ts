/** Attribute facts as JSON Schema: as responses contain a value, and as requests may send it. */
import type { Schema } from '../../openapi/types.ts';
import {
  type Attribute,
  type Facts,
  type ItemFacts,
  isWritable,
  largestInteger,
  longestOf,
  mostItems,
  type ObjectType,
  storedFacts,
} from '../facts.ts';
import { schemaRef, strictObject, taggedUnion } from './schemas.ts';

/** How a nested typed object is called among the components: as a whole, or with the members to change. */
export const inputName = (object: string): string => `${object}_input`;
export const patchName = (object: string): string => `${object}_patch`;

export function readSchema({ facts, members, until = {} }: Pick<Attribute, 'facts' | 'members' | 'until'>): Schema {
  const explained = description(facts.doc);
  // An object without declared members may hold any.
  if (members && Object.keys(members).length === 0) {
    return { ...nullable(facts, { type: 'object', additionalProperties: facts.anyMember ?? true }), ...explained };
  }
  if (members) {
    // A record made under an older version may have other members than a new one needs.
    const object = { ...plainObjectSchema(members, () => true), required: [] };
    return { ...nullable(facts, object), ...explained };
  }
  if (facts.objects) {
    const types = [...facts.objects, ...Object.keys(until)];
    return { ...nullable(facts, taggedUnion(types)), ...explained };
  }
  if (facts.items?.objects) {
    return { ...nullable(facts, { type: 'array', items: taggedUnion(facts.items.objects) }), ...explained };
  }
  return plain(storedFacts(facts.nullInResponses ? { ...facts, nullable: true } : facts));
}

const description = (...sentences: (string | undefined)[]): Pick<Schema, 'description'> => {
  const text = sentences.filter(Boolean).join(' ');
  return text ? { description: text } : {};
};

export function writeSchema(
  { facts, objectTypes, members }: Pick<Attribute, 'facts' | 'objectTypes' | 'members'>,
  operation: Write,
): Schema {
  if (members) {
    const shown = plainObjectSchema(members, (member) => member[operation] === true, written);
    return { ...nullable(facts, shown), ...description(facts.doc) };
  }
  const extra = {
    ...description(facts.doc, describeRules(facts)),
    ...(facts.default !== undefined && operation === 'create' ? { default: facts.default } : {}),
  };
  const nameOf = operation === 'update' && facts.patch === 'merge' ? patchName : inputName;
  const union = (names: readonly string[]) =>
    inputUnion(
      names.filter((name) => isWritable(objectTypes?.[name])),
      nameOf,
    );
  if (facts.objects) return { ...nullable(facts, union(facts.objects)), ...extra };
  if (facts.items?.objects) {
    const list = { type: 'array', items: union(facts.items.objects), maxItems: mostItems, ...counts(facts) };
    return { ...nullable(facts, list), ...extra };
  }
  return { ...written(facts), ...extra };
}

/** A value of a request: what is stored already may be longer. */
function written(facts: Facts): Schema {
  const maxLength = facts.type === 'string' && facts.format !== 'uuid' ? longestOf(facts) : null;
  return {
    ...plain(facts),
    ...(maxLength !== null ? { maxLength } : {}),
    ...(facts.type === 'integer' && !facts.enum ? { maximum: facts.max ?? largestInteger } : {}),
    ...(facts.type === 'array' ? { maxItems: facts.maxItems ?? mostItems } : {}),
  };
}

type Write = 'create' | 'update';

/** Input components are not named after the value of `type`, so the mapping has to be said. */
function inputUnion(names: readonly string[], nameOf: (object: string) => string): Schema {
  const union = taggedUnion(names, (name) => schemaRef(nameOf(name)));
  if (!union.oneOf) return union;
  const mapping = Object.fromEntries(names.map((name) => [name, `#/components/schemas/${nameOf(name)}`]));
  return { ...union, discriminator: { propertyName: 'type', mapping } };
}

function plainObjectSchema(
  members: ObjectType,
  isShown: (member: Facts) => boolean,
  schemaOf: (member: Facts) => Schema = plain,
): Schema {
  const shown = Object.entries(members).filter(([, member]) => isShown(member));
  return strictObject(
    Object.fromEntries(shown.map(([name, member]) => [name, schemaOf(member)])),
    shown.flatMap(([name, { required }]) => (required ? [name] : [])),
  );
}

function plain(facts: Facts): Schema {
  const type = jsonTypes[facts.type];
  return {
    type: facts.nullable ? [type, 'null'] : type,
    ...description(
      facts.doc,
      facts.oneLine ? 'Without line breaks or other control characters.' : undefined,
      facts.secret ? 'Left out for those who may not see secrets.' : undefined,
    ),
    ...(facts.meanings ? { 'x-enumDescriptions': facts.meanings } : {}),
    ...(facts.enum ? { enum: facts.nullable ? [...facts.enum, null] : facts.enum } : {}),
    ...shapeOf(facts),
    ...(facts.pattern ? { pattern: facts.pattern } : {}),
    ...(facts.maxLength !== undefined ? { maxLength: facts.maxLength } : {}),
    ...(facts.type === 'integer' && facts.min !== undefined ? { minimum: facts.min } : {}),
    ...(facts.type === 'integer' && facts.max !== undefined ? { maximum: facts.max } : {}),
    ...(facts.items ? { items: itemSchema(facts.items) } : {}),
    ...counts(facts),
  };
}

const jsonTypes = {
  string: 'string',
  integer: 'integer',
  boolean: 'boolean',
  decimal: 'string',
  datetime: 'string',
  date: 'string',
  array: 'array',
  object: 'object',
} as const satisfies Record<Facts['type'], string>;

/** The formats of the declarations, in words that JSON Schema tools know. */
const formats: Readonly<Record<string, Schema>> = {
  trimmed: { pattern: '^-?\\d+\\.(\\d|\\d*[1-9])$', examples: ['0.19'] },
  'fixed-2': { pattern: '^-?\\d+\\.\\d{2}$', examples: ['50.00'] },
  'iso-3166-1-alpha-2': { pattern: '^[A-Z]{2}$', examples: ['GB'] },
  'iso-3166-2': { pattern: '^[A-Z]{2}-[A-Z0-9]{1,3}$', examples: ['US-CA'] },
  uuid: { format: 'uuid' },
  email: { format: 'email' },
  // A URL may come without a scheme, so it is no absolute URI.
  uri: { format: 'uri-reference' },
};

function shapeOf(facts: Facts): Schema {
  if (facts.type === 'datetime') return { format: 'date-time', examples: ['2026-04-09T06:19:36.825Z'] };
  if (facts.type === 'date') return { format: 'date' };
  return formats[facts.format ?? ''] ?? {};
}

function itemSchema(items: ItemFacts): Schema {
  return {
    type: items.type,
    ...(items.enum ? { enum: items.enum } : {}),
    ...(items.meanings ? { 'x-enumDescriptions': items.meanings } : {}),
    ...(items.pattern ? { pattern: items.pattern } : {}),
    ...(formats[items.format ?? ''] ?? {}),
  };
}

const counts = (facts: Facts): Schema => ({
  ...(facts.minItems !== undefined ? { minItems: facts.minItems } : {}),
  ...(facts.maxItems !== undefined ? { maxItems: facts.maxItems } : {}),
  ...(facts.objectLimit !== undefined ? { maxItems: facts.objectLimit } : {}),
  ...(facts.uniqueItems ? { uniqueItems: true } : {}),
});

const nullable = (facts: Facts, schema: Schema): Schema =>
  facts.nullable ? { oneOf: [schema, { type: 'null' }] } : schema;

/** Rules that no schema keyword says well, as sentences. */
export function describeRules(rules: Partial<Facts>): string {
  const money = rules.type === 'decimal';
  return [
    rules.requiredIf ? `Required when ${condition(rules.requiredIf)}.` : '',
    rules.forbiddenIf ? `Not allowed when ${condition(rules.forbiddenIf)}.` : '',
    rules.trueOnlyIf ? `True only when ${condition(rules.trueOnlyIf)}.` : '',
    rules.togetherWith ? `Goes together with \`${rules.togetherWith}\`.` : '',
    rules.minField ? `At least \`${rules.minField}\`.` : '',
    rules.maxField ? `At most \`${rules.maxField}\`.` : '',
    money && rules.min !== undefined ? `At least ${rules.min}.` : '',
    money && rules.max !== undefined ? `At most ${rules.max}.` : '',
    rules.patch === 'merge' ? 'On update, members that are not sent stay as they are.' : '',
    rules.patch === 'replace' ? 'On update, the object is replaced as a whole.' : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function condition(wanted: Readonly<Record<string, unknown>>): string {
  return Object.entries(wanted)
    .map(([name, value]) => `\`${name}\` is ${[value].flat().map(String).join(' or ')}`)
    .join(' and ');
}
