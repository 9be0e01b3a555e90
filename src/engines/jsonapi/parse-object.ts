/** Nested typed objects of a request: `{ type, attributes }`, alone or in a list. */
import { type ErrorObject, errors, invalid, messages } from './errors.ts';
import { type Attribute, type Facts, isWritable, mostItems, type ObjectType } from './facts.ts';
import { parseValue } from './parse-value.ts';
import type { Row } from './sql.ts';

/** A nested typed object as a workflow receives it. */
export interface TypedObject {
  type: string;
  attributes: Row;
}

interface ParsedObjects<T> {
  value: T;
  /** Members the interface does not accept (400). */
  refused: ErrorObject[];
  /** Values that are not valid (422). */
  invalid: ErrorObject[];
}

/** One `{ type, attributes }`. */
export function parseObject(
  name: string,
  facts: Facts,
  types: Readonly<Record<string, ObjectType>>,
  input: unknown,
  creating: boolean,
): ParsedObjects<TypedObject | null> {
  const nothing = (problem: ErrorObject) => ({ value: null, refused: [], invalid: [problem] });
  if (input === null && facts.nullable) return { value: null, refused: [], invalid: [] };
  const shape = readShape(input);
  if (!shape || shape.isBroken) return nothing(invalid.attribute(name, messages.invalid));
  const type = Object.hasOwn(types, shape.type) ? types[shape.type] : undefined;
  if (!type) return nothing(invalid.attribute(name, messages.invalid));
  if (!isWritable(type)) {
    return nothing(invalid.nestedType(name, creating ? messages.notOnCreation : messages.notOnUpdate));
  }
  const members = parseMembers(type, shape.attributes, (member, message) => invalid.nested(name, member, message));
  const missing = creating || facts.patch !== 'merge' ? missingMembers(type, shape.attributes) : [];
  members.invalid.push(...missing.map((member) => invalid.nested(name, member, messages.blank)));
  const refused = [...shape.refused, ...members.refused];
  return { value: { type: shape.type, attributes: members.value }, refused, invalid: members.invalid };
}

/** A list of them; their pointers count them. A member that is missing is 400, not 422 (contract: order items). */
export function parseObjectList(
  name: string,
  facts: Facts,
  types: Readonly<Record<string, ObjectType>>,
  input: unknown,
): ParsedObjects<TypedObject[]> {
  if (!Array.isArray(input) || input.length < (facts.minItems ?? 0)) {
    return { value: [], refused: [], invalid: [invalid.attribute(name, messages.blank)] };
  }
  // Nobody pays for looking at items that are refused anyway.
  const { objectLimit = mostItems } = facts;
  if (input.length > objectLimit) {
    return { value: [], refused: [], invalid: [invalid.attribute(name, messages.tooMany(objectLimit))] };
  }
  const result: ParsedObjects<TypedObject[]> = { value: [], refused: [], invalid: [] };
  input.forEach((item: unknown, index) => {
    const missing = (member: string) => result.refused.push(errors.missingParameter(`${name}/${index}/${member}`));
    const shape = readShape(item);
    const type = shape && Object.hasOwn(types, shape.type) ? types[shape.type] : undefined;
    if (!shape) missing('type');
    else if (!isWritable(type)) result.invalid.push(invalid.item(name, index, 'type', messages.invalid));
    else if (!shape.complete) missing('attributes');
    else if (type) {
      missingMembers(type, shape.attributes).forEach(missing);
      const members = parseMembers(type, shape.attributes, (member, message) =>
        invalid.item(name, index, member, message),
      );
      result.value.push({ type: shape.type, attributes: members.value });
      result.refused.push(...shape.refused, ...members.refused);
      result.invalid.push(...members.invalid);
    }
  });
  const isReadable = result.refused.length === 0 && result.invalid.length === 0;
  return isReadable ? { ...result, invalid: brokenInList(name, facts, result.value) } : result;
}

/** The rules of a list, checked once each of its objects is valid. */
function brokenInList(
  name: string,
  { sameType, atMostOneOf = {} }: Facts,
  objects: readonly TypedObject[],
): ErrorObject[] {
  return objects.flatMap(({ type, attributes }, index) => {
    if (sameType && type !== objects[0]?.type) return [invalid.item(name, index, 'type', messages.differentTypes)];
    const [, second] = (atMostOneOf[type] ?? []).filter((member) => attributes[member] !== undefined);
    return second === undefined ? [] : [invalid.item(name, index, second, messages.invalid)];
  });
}

/**
 * The object to store for what a request sent: merged into the stored one or replacing it, as the attribute declares,
 * with the defaults of a new one, and with what the server adds.
 */
export function wholeObject(
  attribute: Pick<Attribute, 'facts' | 'objectTypes' | 'complete'>,
  sent: TypedObject,
  stored: TypedObject | null,
): TypedObject {
  const { type } = sent;
  const before = stored?.type === type ? stored.attributes : null;
  const attributes =
    before !== null && attribute.facts.patch === 'merge'
      ? { ...before, ...sent.attributes }
      : withDefaults(attribute.objectTypes?.[type] ?? {}, sent.attributes);
  return { type, attributes: attribute.complete?.({ type, attributes }, before, sent.attributes) ?? attributes };
}

/** A new object with the default of every member that was not sent, and null where there is none. */
export function withDefaults(type: ObjectType, sent: Row): Row {
  return Object.fromEntries(
    Object.entries(type).map(([name, facts]) => [
      name,
      Object.hasOwn(sent, name) ? sent[name] : (facts.default ?? null),
    ]),
  );
}

interface Shape extends TypedObject {
  /** Whether it has attributes at all. */
  complete: boolean;
  /** Whether they are there and are no object. */
  isBroken: boolean;
  refused: ErrorObject[];
}

function readShape(input: unknown): Shape | null {
  if (!isObject(input) || typeof input.type !== 'string') return null;
  const { type, attributes, ...others } = input;
  const complete = isObject(attributes);
  return {
    type: input.type,
    attributes: complete ? attributes : {},
    complete,
    isBroken: attributes !== undefined && !complete && !isEmptyList(attributes),
    refused: Object.keys(others).map(errors.paramNotAllowed),
  };
}

/** What some client libraries send for an empty object. */
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const isObject = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

const missingMembers = (type: ObjectType, sent: Row): string[] =>
  Object.keys(type).filter((member) => type[member]?.required && !Object.hasOwn(sent, member));

function parseMembers(
  type: ObjectType,
  sent: Row,
  problem: (member: string, message: string) => ErrorObject,
): ParsedObjects<Row> {
  const value: Row = {};
  const refused = Object.keys(sent)
    .filter((member) => !Object.hasOwn(type, member) || !(type[member]?.create || type[member]?.update))
    .map(errors.paramNotAllowed);
  const found: ErrorObject[] = [];
  for (const [member, facts] of Object.entries(type)) {
    if (!Object.hasOwn(sent, member)) continue;
    const parsed = parseValue(facts, sent[member]);
    if ('value' in parsed) value[member] = parsed.value;
    else found.push(problem(member, parsed.message));
  }
  return { value, refused, invalid: found };
}
