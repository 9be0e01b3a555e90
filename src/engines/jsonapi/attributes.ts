/**
 * The kinds of attributes that a declaration can use. The column is the attribute's own name unless stated otherwise.
 */
import {
  type Attribute,
  type AttributeOptions,
  facts,
  type ItemOptions,
  longestFreeText,
  type ObjectType,
  type Typed,
  type Viewer,
} from './facts.ts';
import { type TypedObject, withDefaults } from './parse-object.ts';
import type { Row } from './sql.ts';

type Options = AttributeOptions;
/** One of the values that are declared, otherwise any text. */
type TextOf<O> = O extends { values: infer V }
  ? Extract<keyof V, string>
  : O extends { enum: readonly (infer V)[] }
    ? V
    : string;

export const text = <const O extends Options = object>(options?: O): Typed<TextOf<O>, O> =>
  attribute('string', options);
/** A comment or a note: longer than other texts. */
export const freeText = <const O extends Options = object>(options?: O): Typed<string, O> =>
  attribute('string', { textLimit: longestFreeText, ...options });
export const integer = <const O extends Options = object>(options?: O): Typed<number, O> =>
  attribute('integer', options);
export const boolean = <const O extends Options = object>(options?: O): Typed<boolean, O> =>
  attribute('boolean', options);

/** A point in time, ISO 8601 UTC with milliseconds. */
export const dateTime = <const O extends Options = object>(options?: O): Typed<string, O> => ({
  ...attribute('datetime', options),
  decode: isoTime,
});

/** A calendar day, `YYYY-MM-DD`; the pool returns dates as text. */
export const date = <const O extends Options = object>(options?: O): Typed<string, O> => attribute('date', options);

/** Money with trailing zeros trimmed and at least one decimal: "0.0", "0.19", "25.0". */
export const decimal = <const O extends Options = object>(options?: O): Typed<string, O> => ({
  ...attribute('decimal', { format: 'trimmed', ...options }),
  decode: trimmedDecimal,
});

/** Money with exactly two decimals: "50.00". */
export const fixedDecimal = <const O extends Options = object>(options?: O): Typed<string, O> => ({
  ...attribute('decimal', { format: 'fixed-2', ...options }),
  decode: fixedTwoDecimals,
});

type ItemOf<I> = I extends { type: 'integer' } ? number : I extends { type: 'object' } ? Row : TextOf<I>;

export const list = <const I extends ItemOptions, const O extends Options = object>(
  items: I,
  options?: O,
): Typed<ItemOf<I>[], O> => attribute('array', { ...options, items });

/** A nested `{ type, attributes }` object of one of several types. */
export const object = <const O extends Options & Pick<Attribute, 'until'>>(
  types: Readonly<Record<string, ObjectType>>,
  options: O,
): Typed<TypedObject, O> => ({
  ...attribute('object', objectOptions(types, options)),
  objectTypes: types,
  until: options.until ?? {},
  decode: (stored: TypedObject, { hidesSecrets = false }: Viewer) => {
    const members = types[stored.type] ?? {};
    const shown = wholeInOrder(members, stored.attributes);
    return { type: stored.type, attributes: hidesSecrets ? withoutSecrets(members, shown) : shown };
  },
});

function objectOptions(
  types: Readonly<Record<string, ObjectType>>,
  { until = {}, ...options }: Options & Pick<Attribute, 'until'>,
): Options {
  return { ...options, objects: Object.keys(types).filter((name) => !Object.hasOwn(until, name)) };
}

/** A list of nested typed objects. */
export const objectList = <const O extends Options = object>(
  types: Readonly<Record<string, ObjectType>>,
  options?: O,
): Typed<TypedObject[], O> => ({
  ...attribute('array', { ...options, items: { type: 'object', objects: Object.keys(types) } }),
  objectTypes: types,
});

/** An object with members of its own, without `type` and `attributes`. */
export const plainObject = <const O extends Options = object>(
  name: string,
  members: ObjectType,
  options?: O,
): Typed<Row, O> => ({
  ...attribute('object', { ...options, objects: [name] }),
  members,
});

export const isoTime = (stored: Date): string => stored.toISOString();

export function trimmedDecimal(stored: string): string {
  if (!stored.includes('.')) return `${stored}.0`;
  const trimmed = stored.replace(/0+$/, '');
  return trimmed.endsWith('.') ? `${trimmed}0` : trimmed;
}

const wholeCents = /^((?:0|[1-9]\d*)\.\d\d)0*$/;

/** Rounds or pads to two decimals. */
export function fixedTwoDecimals(stored: string): string {
  const exact = wholeCents.exec(stored)?.[1];
  if (exact !== undefined) return exact;
  const negative = stored.startsWith('-');
  const [whole = '0', fraction = ''] = (negative ? stored.slice(1) : stored).split('.');
  const scaled = BigInt(whole) * 1000n + BigInt(fraction.padEnd(3, '0').slice(0, 3));
  const cents = (scaled + 5n) / 10n;
  const sign = negative && cents > 0n ? '-' : '';
  return `${sign}${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

const withoutSecrets = (members: ObjectType, stored: Row): Row =>
  Object.fromEntries(Object.entries(stored).filter(([name]) => members[name]?.secret !== true));

/**
 * All members in the order of the declaration, which `jsonb` does not keep; one that was declared after the object was
 * stored has its default.
 */
function wholeInOrder(type: ObjectType, stored: Row): Row {
  return { ...withDefaults(type, stored), ...stored };
}

function attribute(type: Attribute['facts']['type'], options: AttributeOptions = {}): Attribute {
  return { facts: facts(type, options), column: options.writeOnly ? null : (options.column ?? '') };
}
