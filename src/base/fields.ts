/**
 * One way to check values that come from files and command lines: import records, the bootstrap file, settings,
 * options. A field takes a value and returns it checked, or throws a FieldError that completes the sentence "NAME …".
 */
import { isUuid } from './uuid.ts';

export type Field<T> = (value: unknown) => T;

export class FieldError extends Error {
  override readonly name = 'FieldError';
  /** Where in the value it is, such as `accounts[0].name`; empty for the value itself. */
  readonly path: string;
  /** The sentence with the value that is wrong. Only for sources without secrets. */
  readonly detail: string;

  constructor(message: string, { path = '', detail = message }: { path?: string; detail?: string } = {}) {
    super(message);
    this.path = path;
    this.detail = detail;
  }
}

export function mustBe(meaning: string, value: unknown): FieldError {
  if (value === undefined) return new FieldError('is missing');
  const given = typeof value === 'object' && value !== null ? '' : `, not ${JSON.stringify(value)}`;
  return new FieldError(`must be ${meaning}`, { detail: `must be ${meaning}${given}` });
}

export function text(pattern?: RegExp, meaning = 'text'): Field<string> {
  return (value) => {
    // A NUL is text to JSON, but not to PostgreSQL.
    if (typeof value === 'string' && (pattern ? pattern.test(value) : value !== '') && !value.includes('\0'))
      return value;
    throw mustBe(meaning, value);
  };
}

export function oneOf<const T extends string>(...values: readonly T[]): Field<T> {
  return (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw mustBe(values.map((known) => `"${known}"`).join(' or '), value);
    return found;
  };
}

export const flag: Field<boolean> = (value) => {
  if (typeof value !== 'boolean') throw mustBe('true or false', value);
  return value;
};

export function integer(min: number, max: number): Field<number> {
  return (value) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
    throw mustBe(`a whole number from ${min} to ${max}`, value);
  };
}

/** A whole number that is written as text, as options and variables are. */
export function wholeNumber(min: number, max: number): Field<number> {
  return (value) => {
    const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw mustBe(`a whole number from ${min} to ${max}`, value);
  };
}

/** The form of decimal text without a sign, as amounts and rates are written everywhere. */
export function decimalPattern({ whole = 12, decimals = 4 }: DecimalDigits = {}): string {
  return `^\\d{1,${whole}}(\\.\\d{1,${decimals}})?$`;
}

/** How many digits a decimal may have before and after the point. */
interface DecimalDigits {
  whole?: number;
  decimals?: number;
}

export function isDecimal(value: string, digits?: DecimalDigits): boolean {
  return new RegExp(decimalPattern(digits)).test(value);
}

export function decimal(meaning: string, digits?: DecimalDigits): Field<string> {
  return text(new RegExp(decimalPattern(digits)), meaning);
}

export const uuid: Field<string> = (value) => {
  if (typeof value === 'string' && isUuid(value)) return value;
  throw mustBe('a UUID', value);
};

/** As PostgreSQL writes it, for ids that are compared as text. */
export const lowerCaseUuid: Field<string> = (value) => {
  if (typeof value === 'string' && isUuid(value) && value === value.toLowerCase()) return value;
  throw mustBe('a UUID in small letters', value);
};

export function nullable<T>(field: Field<T>): Field<T | null> {
  return (value) => (value === undefined || value === null ? null : field(value));
}

export function withDefault<T>(field: Field<T>, fallback: T): Field<T> {
  return (value) => (value === undefined ? fallback : field(value));
}

/** Two rules for one value, each with its own sentence. */
export function both<T>(first: Field<unknown>, second: Field<T>): Field<T> {
  return (value) => {
    first(value);
    return second(value);
  };
}

export function listOf<T>(field: Field<T>): Field<T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw mustBe('a list', value);
    return value.map((item, index) => at(`[${index}]`, () => field(item)));
  };
}

/** An object with exactly these members; one without a value is given to its field as undefined. */
export function object<T extends object>(members: { [K in keyof T]: Field<T[K]> }): Field<T> {
  return (value) => {
    if (!isRecord(value)) throw mustBe('an object', value);
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(members, name)) {
        throw new FieldError('is not a member that Trunkline knows', { path: name });
      }
    }
    const entries = Object.entries<Field<unknown>>(members).map(([name, field]) => [
      name,
      at(name, () => field(value[name])),
    ]);
    return Object.fromEntries(entries);
  };
}

/** Refuses the second of two items of a list that have the same value in a member; null may repeat. */
export function unique<T>(field: Field<T[]>, member: keyof T & string): Field<T[]> {
  return (value) => {
    const items = field(value);
    const seen = new Set<unknown>();
    for (const [index, item] of items.entries()) {
      if (item[member] !== null && seen.has(item[member])) {
        throw new FieldError('is there twice', { path: `[${index}].${member}` });
      }
      seen.add(item[member]);
    }
    return items;
  };
}

/** Runs a check of a part and adds the part's name to what it throws. */
export function at<T>(part: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const rest = error.path === '' || error.path.startsWith('[') ? error.path : `.${error.path}`;
    throw new FieldError(error.message, { path: `${part}${rest}`, detail: error.detail });
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
