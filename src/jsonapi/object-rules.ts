import { messages } from './errors.ts';
import type { Facts, ObjectType } from './facts.ts';
import type { Row } from './sql.ts';

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
