/**
 * A difference between a version and the next newer one, for one type. It turns the declaration of the newer version
 * into that of the older one, once, when the program starts: a request in an older version is routed, checked and
 * answered by declarations like any other.
 */
import type { OlderForm, Resource } from '../resource.ts';

export interface Change {
  /** The newest name of the type. */
  type: string;
  /** Null: the older version does not have the type. Members are called as in the newer version. */
  change: (newer: Resource) => Resource | null;
  /** The type's name in the older version. */
  typeName?: string;
}

/** What a step adds on the way to the newest version, and back. */
export type Step = Partial<Omit<OlderForm, 'newest'>>;

/** The declaration with other members; the step is taken between those and the newer ones. */
export function changed(newer: Resource, members: Partial<Resource>, step: Step = {}): Resource {
  const before = newer.older;
  return {
    ...newer,
    ...members,
    older: {
      newest: before?.newest ?? newer,
      input: chain(step.input, before?.input),
      problem: chain(before?.problem, step.problem),
      row: chain(before?.row, step.row),
    },
  };
}

/** One function after the other; what is not there leaves its value as it is. */
function chain<T, R extends unknown[]>(
  first: ((value: T, ...rest: R) => T) | undefined,
  second: ((value: T, ...rest: R) => T) | undefined,
): (value: T, ...rest: R) => T {
  return (value, ...rest) => {
    const once = first ? first(value, ...rest) : value;
    return second ? second(once, ...rest) : once;
  };
}

/** A type did not exist. */
export const noType = (type: string): Change => ({ type, change: () => null });

/** A type, its path and its links had another name. */
export const typeWas = (type: string, typeName: string): Change => ({
  type,
  typeName,
  change: (newer) => changed(newer, {}),
});

/** Operations of a type did not exist. */
export const noOperation = (type: string, ...operations: readonly (keyof Resource['endpoints'])[]): Change => ({
  type,
  change: (newer) => {
    const none = Object.fromEntries(operations.map((operation) => [operation, false]));
    return changed(newer, { endpoints: { ...newer.endpoints, ...none } });
  },
});

/** A deleted record was answered with 202. */
export const deletedLater = (type: string): Change => ({
  type,
  change: (newer) => changed(newer, { deletedStatus: 202 }),
});

/** For what no other kind says: requests and errors of a type. */
export const rewritten = (type: string, step: Step): Change => ({ type, change: (newer) => changed(newer, {}, step) });

/** Only these rows of a type were there; `condition` is SQL over `t`. */
export const onlyRows = (type: string, condition: string): Change => ({
  type,
  change: (newer) => {
    const { visible } = newer;
    const both: Resource['visible'] = (context, params) =>
      [condition, ...(visible ? [visible(context, params)] : [])].join(' and ');
    // What is counted is all of its rows.
    const { counts: _counts, ...older } = changed(newer, { visible: both });
    return older;
  },
});

/** The entries of a record, with other names or values, in the same order. */
export const mapEntries = <T, U>(
  record: Readonly<Record<string, T>>,
  change: (name: string, value: T) => readonly (readonly [string, U])[],
): Record<string, U> => Object.fromEntries(Object.entries(record).flatMap(([name, value]) => change(name, value)));

/** A word of the interface in a text, also as the name of a column (`<word>_id`), is another one. */
export function otherWord(word: string, other: string): (text: string) => string {
  const found = new RegExp(`(?<!\\w)${word}(?=(_id)?(?!\\w))`, 'g');
  return (text) => text.replace(found, other);
}

/** The same in an error: its texts and where it points. */
export function inProblems(rename: (text: string) => string): NonNullable<Step['problem']> {
  return (problem) => ({
    ...problem,
    title: rename(problem.title),
    detail: rename(problem.detail),
    ...(problem.source ? { source: { pointer: rename(problem.source.pointer) } } : {}),
  });
}
