/**
 * The declared rules between the members of a record (`requiredIf`, `forbiddenIf`, `exactlyOneOf`, `atLeastOneOf`),
 * checked on the whole of it: what is stored, overlaid with what was sent.
 */
import { type ErrorObject, invalid, messages, throwAny } from './errors.ts';
import type { Facts, ObjectType } from './facts.ts';
import { linkedBy } from './linkage.ts';
import type { IncludeTree } from './query-string.ts';
import { type EngineContext, hasFeature, type Relationship, type Resource, type WriteInput } from './resource.ts';
import type { Row } from './sql.ts';

/** Refuses an input that breaks a rule of its type; `stored` is null for a new record. */
export async function checkRules<C extends EngineContext>(
  context: C,
  resource: Resource<C>,
  input: WriteInput,
  stored: Row | null,
): Promise<void> {
  if (!hasRules(resource)) return;
  const before = stored === null ? blankMembers(resource) : storedMembers(context, resource, stored);
  const whole = { ...before, ...input.attributes, ...idsOf(input) };
  throwAny([
    ...brokenByAttributes(resource, whole),
    ...brokenByRelationships(context, resource, input, whole),
    ...(stored === null ? brokenByGroups(resource, whole) : []),
    ...((await resource.check?.(context, whole)) ?? []),
  ]);
}

/** What an update has to read of the stored record, so that its rules can be checked. */
export function membersForRules<C extends EngineContext>(
  resource: Resource<C>,
): { include: IncludeTree | null; fields?: ReadonlySet<string> } {
  if (!hasRules(resource)) return { include: null, fields: new Set() };
  const single = Object.entries(resource.relationships).filter(([, { kind }]) => kind === 'one');
  return { include: new Map(single.map(([name]) => [name, new Map()])) };
}

const hasRules = <C extends EngineContext>(resource: Resource<C>): boolean =>
  resource.check !== undefined ||
  resource.exactlyOneOf !== undefined ||
  resource.atLeastOneOf !== undefined ||
  [...Object.values(resource.attributes).map(({ facts }) => facts), ...Object.values(resource.relationships)].some(
    ({ requiredIf, forbiddenIf }) => requiredIf !== undefined || forbiddenIf !== undefined,
  );

function blankMembers<C extends EngineContext>({ attributes, relationships }: Resource<C>): Row {
  return {
    ...Object.fromEntries(Object.entries(attributes).map(([name, { facts }]) => [name, facts.default ?? null])),
    ...Object.fromEntries(Object.keys(relationships).map((name) => [name, null])),
  };
}

/** A to-many that is stored is not read: it is absent here unless it was sent. */
function storedMembers<C extends EngineContext>(context: C, resource: Resource<C>, row: Row): Row {
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

function brokenByAttributes<C extends EngineContext>({ attributes }: Resource<C>, whole: Row): ErrorObject[] {
  const type = Object.fromEntries(Object.entries(attributes).map(([name, { facts }]) => [name, facts]));
  return checkObjectRules(type, whole).map(({ member, message }) => invalid.attribute(member, message));
}

function brokenByRelationships<C extends EngineContext>(
  context: C,
  { relationships }: Resource<C>,
  input: WriteInput,
  whole: Row,
): ErrorObject[] {
  return Object.entries(relationships).flatMap(([name, relationship]) => {
    const isSent = Object.hasOwn(input.relationships, name);
    const message = hasFeature(context, relationship.feature) ? brokenLink(relationship, whole, name, isSent) : null;
    return message === null ? [] : [invalid.relationship(name, message)];
  });
}

/** A link that an update rules out without naming it is dropped by the type's workflow: only a sent one is refused. */
function brokenLink(
  { requiredIf, forbiddenIf }: Relationship,
  whole: Row,
  name: string,
  isSent: boolean,
): string | null {
  const own = whole[name];
  if (isBlank(own)) return own !== undefined && requiredIf && holds(requiredIf, whole) ? messages.blank : null;
  return isSent && forbiddenIf && holds(forbiddenIf, whole) ? messages.mustBeBlank : null;
}

/** None is reported at the first of the group, too many at each after the first. An empty list counts as sent. */
function brokenByGroups<C extends EngineContext>(resource: Resource<C>, whole: Row): ErrorObject[] {
  const { exactlyOneOf = [], atLeastOneOf = [] } = resource;
  const at = (name: string, message: string) =>
    Object.hasOwn(resource.relationships, name)
      ? invalid.relationship(name, message)
      : invalid.attribute(name, message);
  const sent = exactlyOneOf.filter((name) => (whole[name] ?? null) !== null);
  if (sent.length > 1) return sent.slice(1).map((name) => at(name, messages.mustBeBlank));
  return [exactlyOneOf, atLeastOneOf].flatMap((group) => {
    const [first] = group;
    return first !== undefined && group.every((name) => isBlank(whole[name])) ? [at(first, messages.blank)] : [];
  });
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** The rules between the members of a nested object, checked on the whole value: what was stored with what was sent. */
export interface RuleProblem {
  member: string;
  message: string;
}

export function checkObjectRules(type: ObjectType, value: Row): RuleProblem[] {
  return Object.entries(type).flatMap(([member, facts]) => {
    const message = broken(facts, value[member] ?? null, value);
    return message === null ? [] : [{ member, message }];
  });
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
