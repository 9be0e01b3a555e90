/**
 * What a declaration says about one value on the wire. Parsing, the rules between members and the OpenAPI text all read
 * these facts.
 */
import type { Schema } from '../openapi/types.ts';
import type { Row } from './sql.ts';

export interface Facts {
  type: 'string' | 'integer' | 'boolean' | 'decimal' | 'datetime' | 'date' | 'array' | 'object';
  nullable: boolean;
  /** A response may hold null, though a request may not. */
  nullInResponses?: boolean;
  /** One line for the API reference. */
  doc?: string;
  create?: boolean;
  update?: boolean;
  required?: boolean;
  writeOnly?: boolean;
  /** Of a member of a nested object: left out for callers who do not see secrets. */
  secret?: boolean;
  default?: unknown;
  enum?: readonly (string | number)[];
  /** The type of the record that the value names: who writes it reads that record, as with a link. */
  names?: string;
  /** Values that only a caller with the named feature may write. */
  features?: Readonly<Record<string, string>>;
  /** What each value of `enum` means. */
  meanings?: Meanings;
  /** What an object without declared members holds under any name. */
  anyMember?: Schema;
  format?: string;
  pattern?: string;
  /** Older versions take, and responses contain, other texts too. */
  patternOfRequests?: boolean;
  /** Without line breaks and other control characters. */
  oneLine?: boolean;
  /** An empty text is a value of its own. */
  mayBeEmpty?: boolean;
  min?: number;
  max?: number;
  maxLength?: number;
  /** The most characters one request may bring where the contract states no `maxLength`; `longestText` by default. */
  textLimit?: number;
  items?: ItemFacts;
  minItems?: number;
  maxItems?: number;
  /** The most objects of a list that one request may bring, if not `mostItems`. */
  objectLimit?: number;
  uniqueItems?: boolean;
  /** All objects of a list have the same type. */
  sameType?: boolean;
  /** Object type → members of which an object has at most one. */
  atMostOneOf?: Readonly<Record<string, readonly string[]>>;
  /** The object types this value may be, by name: each a `{ type, attributes }` pair on the wire. */
  objects?: readonly string[];
  /** How an update treats an object: member by member, or as a whole. */
  patch?: 'merge' | 'replace';
  togetherWith?: string;
  requiredIf?: Readonly<Record<string, unknown>>;
  forbiddenIf?: Readonly<Record<string, unknown>>;
  trueOnlyIf?: Readonly<Record<string, unknown>>;
  minField?: string;
  maxField?: string;
}

/** What holds for a stored value. */
export const storedFacts = ({ pattern, ...facts }: Facts): Facts =>
  pattern === undefined || facts.patternOfRequests ? facts : { ...facts, pattern };

/** The values an attribute may have, each with one line about what it means. */
export type Meanings = Readonly<Record<string | number, string>>;

export interface ItemFacts {
  type: 'string' | 'integer' | 'object';
  enum?: readonly (string | number)[];
  meanings?: Meanings;
  format?: string;
  pattern?: string;
  objects?: readonly string[];
}

/** What the form of a value may depend on, beside what is stored. */
export interface Viewer {
  baseUrl: string;
  /** Whether members that are `secret` are left out. */
  hidesSecrets?: boolean;
}

/** One attribute: its facts, where it lives in SQL, and how the stored form becomes the wire form. */
export interface Attribute {
  facts: Facts;
  /** SQL over the row alias `t`; null when the value is never read back. */
  column: string | null;
  /** Only where the stored form is not the wire form already. */
  decode?: (stored: never, context: Viewer) => unknown;
  /** Makes something usable of what clients are known to send, before it is checked. */
  accept?: (sent: unknown) => unknown;
  /** The object types behind `facts.objects`, and those of `until`. */
  objectTypes?: Readonly<Record<string, ObjectType>>;
  /** Object type → the first version that cannot write it any more; every version shows what older ones wrote. */
  until?: Readonly<Record<string, string>>;
  /** If one of these members is missing, the whole object is reported as invalid. */
  invalidWithout?: readonly string[];
  /**
   * Adds what the server decides to an object before its rules are checked; `stored` is what it replaces or changes.
   */
  complete?: (object: { type: string; attributes: Row }, stored: Row | null, sent: Row) => Row;
  /** The members of an object that is sent as it is, without `type` and `attributes`; its workflow checks them. */
  members?: ObjectType;
}

/** With what the compiler has to know of it, so that the input of a workflow can be derived (sent.ts). */
export interface Typed<V, O> extends Attribute {
  /** Never set. */
  readonly typed?: { value: V; options: O };
}

/** The members of one type of nested objects. */
export type ObjectType = Readonly<Record<string, Facts>>;

/** False for object types that are shown but cannot be sent. */
export const isWritable = (type: ObjectType | undefined): boolean =>
  Object.values(type ?? {}).some((facts) => facts.create || facts.update);

type Write = 'create' | 'update' | 'both';

export interface ItemOptions extends Omit<ItemFacts, 'meanings'> {
  /** Instead of `enum`: the values with their meanings. */
  values?: Meanings;
}

export interface AttributeOptions
  extends Partial<Omit<Facts, 'type' | 'nullable' | 'create' | 'update' | 'items' | 'meanings'>> {
  nullable?: boolean;
  /** Instead of `enum`: the values with their meanings. */
  values?: Meanings;
  items?: ItemOptions;
  write?: Write;
  /** SQL over `t` when it is not the column of the same name. */
  column?: string;
}

/** `{ write: 'both' }` and friends, as facts. */
export function facts(type: Facts['type'], options: AttributeOptions = {}): Facts {
  const { write, column: _column, nullable = false, values, items, ...rest } = options;
  return {
    type,
    nullable,
    ...(write === 'create' || write === 'both' ? { create: true } : {}),
    ...(write === 'update' || write === 'both' ? { update: true } : {}),
    ...allowed(type, values),
    ...(items ? { items: itemFacts(items) } : {}),
    ...rest,
  };
}

function itemFacts({ values, ...rest }: ItemOptions): ItemFacts {
  return { ...rest, ...allowed(rest.type, values) };
}

/** The keys of an object are texts, also where the values are numbers. */
function allowed(type: Facts['type'], values: Meanings | undefined): Pick<Facts, 'enum' | 'meanings'> {
  if (!values) return {};
  const keys = Object.keys(values);
  return { enum: type === 'integer' ? keys.map(Number) : keys, meanings: values };
}

// The most that one request may send and one response may contain, where the declaration states no limit of its own.

/** A whole number: what a column of four bytes holds. */
export const largestInteger = 2_147_483_647;
/** Characters of a text. */
const longestText = 255;
/** Characters of a comment or a note. */
export const longestFreeText = 10_000;
/** Entries of a list attribute, and records that one request may link to in a to-many relationship. */
export const mostItems = 1_000;
export const mostLinks = 1_000;
/** Values of one filter's comma list. */
export const mostFilterValues = 1_000;

/** Related records that `include` may bring, each counted once for every record it is related to. */
export const mostIncluded = 10_000;
/** Identifiers in the linkage of one to-many relationship, which has no pages. */
export const mostLinkage = 50_000;
/** Bytes of a response to a read. */
export const largestResponse = 16 * 1024 * 1024;

/** The most characters that may be written; null if an enum limits the value anyway. */
export function longestOf({ maxLength, textLimit, enum: allowed }: Partial<Facts>): number | null {
  if (maxLength !== undefined) return maxLength;
  return allowed ? null : (textLimit ?? longestText);
}

/** Counts code points, not UTF-16 units. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && [...text].length > max;
}
