/** Parses one value of a request by its facts. */
import { isIP } from 'node:net';
import { isEmailAddress } from '../../base/email-address.ts';
import { isDay, readMoment } from '../../base/time-text.ts';
import { isUuid } from '../../base/uuid.ts';
import { messages } from './errors.ts';
import { type Facts, type ItemFacts, isLonger, largestInteger, longestOf, mostItems } from './facts.ts';

/** A value as it may be stored, or the message that says why it may not. */
type Parsed = { value: unknown } | { message: string };

/**
 * One attribute value of a request. Clients may send "1", "true" and "false" for numbers and booleans, and an empty
 * text for a nullable string means null (contract: lenient input; ruling on empty text). Null itself is refused where
 * the member cannot be null, also if it need not be sent: ignoring it would hide that nothing was changed.
 */
export function parseValue(facts: Facts, input: unknown): Parsed {
  if (input === null || input === undefined || (input === '' && facts.type !== 'array' && !facts.mayBeEmpty)) {
    return facts.nullable ? { value: null } : { message: messages.blank };
  }
  switch (facts.type) {
    case 'string':
      return parseText(facts, input);
    case 'integer':
      return parseInteger(facts, input);
    case 'boolean':
      return parseBoolean(input);
    case 'decimal':
      return parseDecimal(facts, input);
    case 'date':
      return parseDate(input);
    case 'datetime':
      return parseDateTime(input);
    case 'array':
      return parseList(facts, input);
    case 'object':
      return typeof input === 'object' && !Array.isArray(input) ? { value: input } : { message: messages.invalid };
  }
}

function parseText(facts: Facts, input: unknown): Parsed {
  if (typeof input !== 'string' && typeof input !== 'number') return { message: messages.invalid };
  const text = String(input);
  if (text.trim() === '' && !facts.nullable && !facts.mayBeEmpty) return { message: messages.blank };
  const longest = longestOf(facts);
  if (longest !== null && isLonger(text, longest)) return { message: messages.tooLong(longest) };
  if (facts.oneLine && !oneLine.test(text)) return { message: messages.invalid };
  return matches(facts, text) ? { value: text } : { message: messages.invalid };
}

/** Text that may stand in a header of another protocol. */
const oneLine = /^[^\p{Cc}\u2028\u2029]*$/u;

function matches(facts: Pick<Facts, 'enum' | 'pattern' | 'format'>, text: string): boolean {
  if (facts.enum && !facts.enum.includes(text)) return false;
  if (facts.pattern && !new RegExp(facts.pattern, 'u').test(text)) return false;
  return facts.format === undefined || (formats[facts.format]?.(text) ?? true);
}

const hostName = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;

const formats: Readonly<Record<string, (text: string) => boolean>> = {
  email: (text) => isEmailAddress(text) && /@.*\.[^.]+$/.test(text),
  uri: (text) => isHttpUrl(text),
  'hostname-or-ip': (text) => isIP(text) !== 0 || hostName.test(text),
  'ip-or-subnet': (text) => networkOf(text) !== null,
  uuid: isUuid,
};

/** http or https only; without a scheme it is read as `http://`. */
function isHttpUrl(text: string): boolean {
  if (/\s/.test(text)) return false;
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : null;
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.hostname !== '';
}

function parseInteger(facts: Facts, input: unknown): Parsed {
  const number = typeof input === 'string' && /^-?\d+$/.test(input) ? Number(input) : input;
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return { message: messages.notANumber };
  if (facts.enum && !facts.enum.includes(number)) return { message: messages.invalid };
  if (facts.min !== undefined && number < facts.min) return { message: messages.atLeast(facts.min) };
  const max = facts.max ?? largestInteger;
  return number > max ? { message: messages.atMost(max) } : { value: number };
}

function parseBoolean(input: unknown): Parsed {
  if (input === true || input === 'true') return { value: true };
  if (input === false || input === 'false') return { value: false };
  return { message: messages.invalid };
}

/** Stays text, since money is never a float. Columns have four decimals; more are refused instead of rounded. */
function parseDecimal(facts: Facts, input: unknown): Parsed {
  const text = typeof input === 'number' ? String(input) : input;
  if (typeof text !== 'string' || !/^-?\d{1,12}(\.\d{1,20})?$/.test(text)) return { message: messages.notANumber };
  if (/\.\d{4}\d*[1-9]/.test(text)) return { message: messages.tooPrecise(4) };
  if (facts.min !== undefined && Number(text) < facts.min) return { message: messages.atLeast(facts.min) };
  return facts.max !== undefined && Number(text) > facts.max
    ? { message: messages.atMost(facts.max) }
    : { value: text };
}

function parseDate(input: unknown): Parsed {
  const day = dayOf(input);
  return day === null ? { message: messages.invalid } : { value: day };
}

/** `YYYY-MM-DD` of a date, or of a date and time; null for what is neither, or not in the calendar. */
export function dayOf(input: unknown): string | null {
  const day = typeof input === 'string' ? /^(\d{4}-\d{2}-\d{2})(?:$|[T ])/.exec(input)?.[1] : undefined;
  return day !== undefined && isDay(day) ? day : null;
}

function parseDateTime(input: unknown): Parsed {
  const at = typeof input === 'string' ? readMoment(input) : null;
  return at ? { value: at } : { message: messages.invalid };
}

function parseList(facts: Facts, input: unknown): Parsed {
  if (!Array.isArray(input)) return { message: messages.invalid };
  if (facts.items?.type === 'object') return { value: input };
  if (facts.maxItems === undefined && input.length > mostItems) return { message: messages.tooMany(mostItems) };
  const values = input.map((item) => parseItem(facts.items, item));
  if (values.includes(undefined)) return { message: messages.invalid };
  if (facts.minItems !== undefined && values.length < facts.minItems) return { message: messages.blank };
  if (facts.maxItems !== undefined && values.length > facts.maxItems) return { message: messages.invalid };
  // One address can be written in several ways.
  const same = facts.items?.format === 'ip-or-subnet' ? values.map((value) => networkOf(String(value))) : values;
  if (facts.uniqueItems && new Set(same).size < same.length) return { message: messages.invalid };
  return { value: values };
}

function parseItem(facts: ItemFacts | undefined, item: unknown): unknown {
  const value = facts?.type === 'integer' && typeof item === 'string' && /^\d+$/.test(item) ? Number(item) : item;
  if (facts?.type === 'integer') {
    return Number.isSafeInteger(value) && (!facts.enum || facts.enum.includes(value as number)) ? value : undefined;
  }
  if (typeof value !== 'string') return undefined;
  const longest = longestOf(facts?.enum ? { enum: facts.enum } : {});
  return (longest === null || !isLonger(value, longest)) && matches(facts ?? {}, value) ? value : undefined;
}

/**
 * An IP address or network in the form of PostgreSQL: `192.0.2.1` is `192.0.2.1/32`. Null if the text is neither, has a
 * zone, or has bits set beyond its prefix length.
 */
export function networkOf(text: string): string | null {
  const [address = '', length, ...rest] = text.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  if (family === 0 || address.includes('%') || rest.length > 0) return null;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return null;
  const bits = length === undefined ? most : Number(length);
  if (bits > most) return null;
  const value = family === 4 ? numberOf(address.split('.'), 10, 8n) : numberOf(wordsOf(address), 16, 16n);
  const beyond = (1n << BigInt(most - bits)) - 1n;
  return (value & beyond) === 0n ? `${canonical(address, family)}/${bits}` : null;
}

const numberOf = (parts: readonly string[], base: number, size: bigint): bigint =>
  parts.reduce((value, part) => (value << size) | BigInt(Number.parseInt(part, base)), 0n);

/** Lower case, shortest form, no dots: what URLs write. */
const canonical = (address: string, family: number): string =>
  family === 4 ? address : new URL(`http://[${address}]/`).hostname.slice(1, -1);

function wordsOf(address: string): string[] {
  const [head = '', tail] = canonical(address, 6).split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  return [...front, ...new Array<string>(8 - front.length - back.length).fill('0'), ...back];
}
