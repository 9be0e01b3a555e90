/**
 * The declared rules between the members of a record (`requiredIf`, `forbiddenIf`, `trueOnlyIf`, `minField`,
 * `maxField`, `exactlyOneOf`, `atLeastOneOf`) and of its nested objects. They are checked on the whole record: what is
 * stored, overlaid with what was sent.
 */
import { type ErrorObject, invalid, messages, throwAny } from './errors.ts';
import type { Attribute, Facts, ObjectType } from './facts.ts';
import { hasFeature } from './features.ts';
import { linkedBy } from './linkage.ts';
import { type TypedObject, wholeObject } from './parse-object.ts';
import type { IncludeTree } from './query-string.ts';
import { type EngineContext, linkProblem, type Relationship, type Resource, type WriteInput } from './resource.ts';
import type { Row } from './sql.ts';

/** Refuses an input that breaks a rule of its type; `stored` is null for a new record. */
export async function checkRules(
  context: EngineContext,
  resource: Resource,
  input: WriteInput,
  stored: Row | null,
): Promise<void> {
  if (!hasRules(resource) && (stored !== null || !hasGroups(resource))) return;
  const before = stored === null ? blankMembers(resource) : storedMembers(context, resource, stored);
  const objects = sentObjects(resource, input, before);
  const whole = { ...before, ...input.attributes, ...objects.values, ...idsOf(input) };
  throwAny([
    ...brokenByAttributes(resource, whole),
    ...objects.problems,
    ...brokenByRelationships(context, resource, input, { before: stored === null ? null : before, whole }),
    ...(stored === null ? brokenByGroups(resource, whole) : []),
    ...((await resource.check?.(context, whole, stored === null ? null : before)) ?? []),
  ]);
}

/** What an update has to read of the stored record, so that its rules can be checked. */
export function membersForRules(resource: Resource): { include: IncludeTree | null; fields?: ReadonlySet<string> } {
  if (!hasRules(resource)) return { include: null, fields: new Set() };
  const single = Object.entries(resource.relationships).filter(([, { kind }]) => kind === 'one');
  return { include: new Map(single.map(([name]) => [name, new Map()])) };
}

/** Groups are rules for new records only. */
const hasGroups = ({ exactlyOneOf, atLeastOneOf }: Resource): boolean =>
  exactlyOneOf !== undefined || atLeastOneOf !== undefined;

/** Whether an update can break a rule. */
export const hasRules = (resource: Resource): boolean =>
  resource.check !== undefined ||
  Object.values(resource.relationships).some(isConditional) ||
  Object.values(resource.attributes).some(
    ({ facts, objectTypes = {} }) =>
      isConditional(facts) ||
      facts.patch === 'merge' ||
      Object.values(objectTypes).some((type) => Object.values(type).some(isConditional)),
  );

const conditions = ['requiredIf', 'forbiddenIf', 'trueOnlyIf', 'minField', 'maxField'] as const;
const isConditional = (declared: Partial<Pick<Facts, (typeof conditions)[number]>>): boolean =>
  conditions.some((name) => declared[name] !== undefined);

/** The nested objects that were sent, as they would be stored, and the rules that they break. */
function sentObjects({ attributes }: Resource, input: WriteInput, before: Row) {
  const values: Row = {};
  const problems: ErrorObject[] = [];
  for (const [name, attribute] of Object.entries(attributes)) {
    const sent = input.attributes[name];
    if (attribute.facts.type !== 'object' || !attribute.objectTypes || !isTyped(sent)) continue;
    const stored = isTyped(before[name]) ? before[name] : null;
    const whole = wholeObject(attribute, sent, stored);
    values[name] = whole;
    problems.push(...brokenInObject(name, attribute, whole, stored));
  }
  return { values, problems };
}

const isTyped = (value: unknown): value is TypedObject =>
  typeof value === 'object' && value !== null && 'type' in value;

/** An object that is merged keeps its type. */
function brokenInObject(name: string, attribute: Attribute, whole: TypedObject, stored: TypedObject | null) {
  if (attribute.facts.patch === 'merge' && stored !== null && stored.type !== whole.type) {
    return [invalid.attribute(name, messages.invalid)];
  }
  return checkObjectRules(attribute.objectTypes?.[whole.type] ?? {}, whole.attributes).map(({ member, message }) =>
    invalid.nested(name, member, message),
  );
}

function blankMembers({ attributes, relationships }: Resource): Row {
  return {
    ...Object.fromEntries(Object.entries(attributes).map(([name, { facts }]) => [name, facts.default ?? null])),
    ...Object.fromEntries(Object.keys(relationships).map((name) => [name, null])),
  };
}

/** A to-many that is stored is not read: it is absent here unless it was sent. */
function storedMembers(context: EngineContext, resource: Resource, row: Row): Row {
  const members: Row = {};
  for (const [name, { column, decode }] of Object.entries(resource.attributes)) {
    const stored = column === null ? null : (row[name] ?? null);
    members[name] = stored !== null && decode ? decode(stored as never, context) : stored;
  }
  for (const [name, { kind }] of Object.entries(resource.relationships)) {
    if (kind === 'one') members[name] = row[`→${name}`] ?? null;
  }
  return members;
}

/** Members that leave a to-many say nothing about those that stay, so it counts as not sent. */
const idsOf = ({ relationships }: WriteInput): Row =>
  Object.fromEntries(
    Object.entries(relationships).flatMap(([name, link]): [string, unknown][] => {
      if (link === null) return [[name, null]];
      if ('id' in link) return [[name, link.id]];
      return 'remove' in link ? [] : [[name, linkedBy(link).map(({ id }) => id)]];
    }),
  );

function brokenByAttributes({ attributes }: Resource, whole: Row): ErrorObject[] {
  const type = Object.fromEntries(Object.entries(attributes).map(([name, { facts }]) => [name, facts]));
  return checkObjectRules(type, whole).map(({ member, message }) => invalid.attribute(member, message));
}

function brokenByRelationships(
  context: EngineContext,
  { relationships }: Resource,
  input: WriteInput,
  members: Members,
): ErrorObject[] {
  return Object.entries(relationships).flatMap(([name, relationship]) => {
    const isSent = Object.hasOwn(input.relationships, name);
    const message = hasFeature(context, relationship.feature) ? brokenLink(relationship, members, name, isSent) : null;
    return message === null ? [] : [linkProblem(relationship, name, message)];
  });
}

/** The members of a record as they are stored (null for a new one), and as they would be. */
interface Members {
  before: Row | null;
  whole: Row;
}

/**
 * A link that an update rules out without naming it is dropped by the type's workflow: only a sent one is refused. One
 * that is missing because its record is gone keeps nobody from changing the rest: it is asked for when the condition
 * begins to hold.
 */
function brokenLink(
  { requiredIf, forbiddenIf }: Relationship,
  { before, whole }: Members,
  name: string,
  isSent: boolean,
): string | null {
  const own = whole[name];
  if (!isBlank(own)) return isSent && forbiddenIf && holds(forbiddenIf, whole) ? messages.mustBeBlank : null;
  if (own === undefined || !requiredIf || !holds(requiredIf, whole)) return null;
  return isSent || before === null || !holds(requiredIf, before) ? messages.blank : null;
}

/** None is reported at the first of the group, too many at each after the first. An empty list counts as sent. */
function brokenByGroups(resource: Resource, whole: Row): ErrorObject[] {
  const { exactlyOneOf = [], atLeastOneOf = [] } = resource;
  const at = (name: string, message: string) => {
    const relationship = resource.relationships[name];
    return relationship ? linkProblem(relationship, name, message) : invalid.attribute(name, message);
  };
  const sent = exactlyOneOf.filter((name) => (whole[name] ?? null) !== null);
  if (sent.length > 1) return sent.slice(1).map((name) => at(name, messages.mustBeBlank));
  return [exactlyOneOf, atLeastOneOf].flatMap((group) => {
    const [first] = group;
    return first !== undefined && group.every((name) => isBlank(whole[name])) ? [at(first, messages.blank)] : [];
  });
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

interface RuleProblem {
  member: string;
  message: string;
}

/** Checks the rules between the members of one object: the attributes of a record, or a nested object. */
export function checkObjectRules(type: ObjectType, value: Row): RuleProblem[] {
  return Object.entries(type).flatMap(([member, facts]) => {
    const message = broken(facts, value[member] ?? null, value);
    return message === null ? [] : [{ member, message }];
  });
}

function broken(facts: Facts, own: unknown, value: Row): string | null {
  const isBlank = own === null || own === '';
  if (isBlank) return facts.requiredIf && holds(facts.requiredIf, value) ? messages.blank : null;
  if (facts.forbiddenIf && holds(facts.forbiddenIf, value)) return messages.mustBeBlank;
  if (own === true && facts.trueOnlyIf && !holds(facts.trueOnlyIf, value)) return messages.invalid;
  const least = bound(facts.minField, value);
  if (least !== null && Number(own) < least) return messages.atLeast(least);
  const most = bound(facts.maxField, value);
  return most !== null && Number(own) > most ? messages.atMost(most) : null;
}

/** Every named member has the given value, or one of them. */
export function holds(condition: Readonly<Record<string, unknown>>, value: Row): boolean {
  return Object.entries(condition).every(([name, wanted]) =>
    Array.isArray(wanted) ? wanted.includes(value[name]) : value[name] === wanted,
  );
}

function bound(field: string | undefined, value: Row): number | null {
  const limit = field === undefined ? null : value[field];
  return typeof limit === 'number' ? limit : null;
}
