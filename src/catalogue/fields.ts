/** How the members of an import record are read: each checks one value and answers it, or says what is wrong. */

export class FieldError extends Error {
  override readonly name = 'FieldError';
}

export type Field<T> = (value: unknown) => T;

export function text(pattern?: RegExp, meaning = 'text'): Field<string> {
  return (value) => {
    // A NUL is text to JSON, but not to PostgreSQL.
    if (typeof value !== 'string' || !(pattern ? pattern.test(value) : value !== '') || value.includes('\0')) {
      throw new FieldError(`must be ${meaning}, not ${JSON.stringify(value) ?? 'missing'}`);
    }
    return value;
  };
}

export function nullable<T>(field: Field<T>): Field<T | null> {
  return (value) => (value === undefined || value === null ? null : field(value));
}

export function withDefault<T>(field: Field<T>, fallback: T): Field<T> {
  return (value) => (value === undefined ? fallback : field(value));
}

export function flag(value: unknown): boolean {
  if (typeof value !== 'boolean') throw new FieldError('must be true or false');
  return value;
}

const largestInteger = 2_147_483_647;

export function count(value: unknown): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > largestInteger)
    throw new FieldError(`must be a whole number from 0 to ${largestInteger}`);
  return value;
}

export function listOf<T>(field: Field<T>): Field<T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new FieldError('must be a list');
    return value.map(field);
  };
}

export const uuid = text(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a UUID in small letters');
export const price = text(/^\d{1,8}(\.\d{1,4})?$/, 'a price such as "0.80"');
/** A group of a country without area codes has an empty prefix. */
export const digits = text(/^\d{0,10}$/, 'digits');
