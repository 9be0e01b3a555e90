/** The kinds of attributes that a declaration can use. The column is the attribute's own name unless stated otherwise. */
import {
  type Attribute,
  type AttributeOptions,
  facts,
  type ItemOptions,
  longestFreeText,
  type ObjectType,
  type Viewer,
} from './facts.ts';
import { type TypedObject, withDefaults } from './parse-object.ts';
import type { Row } from './sql.ts';

export const text = (options?: AttributeOptions): Attribute => attribute('string', options);
/** A comment or a note: longer than other texts. */
export const freeText = (options?: AttributeOptions): Attribute => text({ textLimit: longestFreeText, ...options });
export const integer = (options?: AttributeOptions): Attribute => attribute('integer', options);
export const boolean = (options?: AttributeOptions): Attribute => attribute('boolean', options);

/** A point in time, ISO 8601 UTC with milliseconds. */
export const dateTime = (options?: AttributeOptions): Attribute => ({
  ...attribute('datetime', options),
  decode: isoTime,
});

/** A calendar day, `YYYY-MM-DD`; the pool returns dates as text. */
export const date = (options?: AttributeOptions): Attribute => attribute('date', options);

/** Money with trailing zeros trimmed and at least one decimal: "0.0", "0.19", "25.0". */
export const decimal = (options?: AttributeOptions): Attribute => ({
  ...attribute('decimal', { format: 'trimmed', ...options }),
  decode: trimmedDecimal,
});

/** Money with exactly two decimals: "50.00". */
export const fixedDecimal = (options?: AttributeOptions): Attribute => ({
  ...attribute('decimal', { format: 'fixed-2', ...options }),
  decode: fixedTwoDecimals,
});

export const list = (items: ItemOptions, options?: AttributeOptions): Attribute =>
  attribute('array', { ...options, items });

/** A nested `{ type, attributes }` object of one of several types. */
export const object = (
  types: Readonly<Record<string, ObjectType>>,
  { until = {}, ...options }: AttributeOptions & Pick<Attribute, 'until'> = {},
): Attribute => ({
  ...attribute('object', { ...options, objects: Object.keys(types).filter((name) => !Object.hasOwn(until, name)) }),
  objectTypes: types,
  until,
  decode: (stored: TypedObject, { hidesSecrets = false }: Viewer) => {
    const members = types[stored.type] ?? {};
    const shown = wholeInOrder(members, stored.attributes);
    return { type: stored.type, attributes: hidesSecrets ? withoutSecrets(members, shown) : shown };
  },
});

/** A list of nested typed objects. */
export const objectList = (types: Readonly<Record<string, ObjectType>>, options?: AttributeOptions): Attribute => ({
  ...attribute('array', { ...options, items: { type: 'object', objects: Object.keys(types) } }),
  objectTypes: types,
});

/** An object with members of its own, without `type` and `attributes`. */
export const plainObject = (name: string, members: ObjectType, options?: AttributeOptions): Attribute => ({
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
 * All members in the order of the declaration, which `jsonb` does not keep; one that was declared after the object was stored has
 * its default.
 */
function wholeInOrder(type: ObjectType, stored: Row): Row {
  return { ...withDefaults(type, stored), ...stored };
}

function attribute(type: Attribute['facts']['type'], options: AttributeOptions = {}): Attribute {
  return { facts: facts(type, options), column: options.writeOnly ? null : (options.column ?? '') };
}
