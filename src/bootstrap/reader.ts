/** Small readers of JSON values; what is wrong is said with the path to it: `sandbox.accounts[0].name must be …`. */

export class BootstrapError extends Error {
  override readonly name = 'BootstrapError';
}

export type Reader<T> = (value: unknown, path: string) => T;

const fail = (path: string, what: string): never => {
  throw new BootstrapError(`${path === '' ? 'the file' : path} ${what}`);
};

/** A member: its reader, and what stands for it when it is left out (required without). */
export interface Member<T> {
  read: Reader<T>;
  fallback?: T;
}

export function object<T extends object>(members: { [K in keyof T]: Member<T[K]> }): Reader<T> {
  return (value, path) => {
    if (!isRecord(value)) return fail(path, 'must be an object');
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(members, name)) fail(join(path, name), 'is not a member that Trunkline knows');
    }
    const entries = Object.entries<Member<unknown>>(members).map(([name, member]) => {
      if (Object.hasOwn(value, name)) return [name, member.read(value[name], join(path, name))];
      if ('fallback' in member) return [name, member.fallback];
      return fail(join(path, name), 'is missing');
    });
    return Object.fromEntries(entries);
  };
}

export function list<T>(read: Reader<T>): Reader<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) return fail(path, 'must be a list');
    return value.map((item, index) => read(item, `${path}[${index}]`));
  };
}

/** A text that fits the pattern; `what` ends the sentence "must be …". */
export function text(pattern: RegExp, what: string): Reader<string> {
  return (value, path) => (typeof value === 'string' && pattern.test(value) ? value : fail(path, `must be ${what}`));
}

/** Two rules for one value, each with its own sentence. */
export function both(first: Reader<unknown>, second: Reader<string>): Reader<string> {
  return (value, path) => {
    first(value, path);
    return second(value, path);
  };
}

export function integer(min: number, max: number): Reader<number> {
  return (value, path) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? value
      : fail(path, `must be an integer from ${min} to ${max}`);
}

export const flag: Reader<boolean> = (value, path) =>
  typeof value === 'boolean' ? value : fail(path, 'must be true or false');

export function oneOf<const T extends string>(...values: T[]): Reader<T> {
  return (value, path) =>
    values.find((candidate) => candidate === value) ??
    fail(path, `must be ${values.map((v) => `"${v}"`).join(' or ')}`);
}

export function nullable<T>(read: Reader<T>): Reader<T | null> {
  return (value, path) => (value === null ? null : read(value, path));
}

/** Refuses the second of two items of a list that have the same name. */
export function unique<T>(read: Reader<T[]>, member: keyof T & string): Reader<T[]> {
  return (value, path) => {
    const items = read(value, path);
    const seen = new Set<unknown>();
    items.forEach((item, index) => {
      if (item[member] !== null && seen.has(item[member])) fail(`${path}[${index}].${member}`, 'is there twice');
      seen.add(item[member]);
    });
    return items;
  };
}

const join = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
