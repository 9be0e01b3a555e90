/**
 * How the database's text of one column becomes JSON. The result is the same, byte for byte, as parsing the text into a
 * value, decoding that by the declaration, and `JSON.stringify`; most columns need none of these steps.
 */
import { fixedTwoDecimals, isoTime, trimmedDecimal } from '../attributes.ts';
import type { Attribute } from '../facts.ts';
import type { MetaField } from '../resource.ts';
import type { ParseText } from '../sql.ts';

/** `text` is what the database sends for a value that is not null. */
export type WriteCell = (text: string, baseUrl: string) => string;

/** Type numbers of PostgreSQL's catalogue. */
const numbers = new Set([20, 21, 23]);
const texts = new Set([25, 1042, 1043, 1082, 1700, 2950]);
const truth = 16;
const textArray = 1009;
const timestamp = 1184;

export function attributeCell({ decode }: Attribute, type: number, parse: ParseText, hidesSecrets = false): WriteCell {
  if (decode === undefined) return plainCell(type, parse);
  if (decode === isoTime && type === timestamp) return timeCell(parse);
  if (decode === trimmedDecimal && texts.has(type)) return (text) => quote(trimmedDecimal(text));
  if (decode === fixedTwoDecimals && texts.has(type)) return (text) => quote(fixedTwoDecimals(text));
  return (text, baseUrl) => json(decode(parse(type, text) as never, { baseUrl, hidesSecrets }));
}

export function metaCell({ type: shown }: MetaField, type: number, parse: ParseText): WriteCell {
  const isText = texts.has(type);
  return isText && shown.startsWith('decimal') ? (text) => quote(trimmedDecimal(text)) : plainCell(type, parse);
}

function plainCell(type: number, parse: ParseText): WriteCell {
  if (texts.has(type)) return quote;
  if (numbers.has(type)) return (text) => text;
  if (type === textArray) return (text) => wordsCell(text) ?? json(parse(type, text));
  if (type === truth) return (text) => (text === 't' ? 'true' : 'false');
  return (text) => json(parse(type, text));
}

const words = /^\{[a-z]\w*(?:,[a-z]\w*)*\}$/;

/** A list of words in small letters, which PostgreSQL does not quote; null for any other list. */
const wordsCell = (text: string): string | null =>
  words.test(text) && !text.includes('null') ? `["${text.slice(1, -1).replaceAll(',', '","')}"]` : null;

/**
 * No quotation mark, backslash or control character, and nothing beyond the basic plane, where a surrogate may be
 * alone.
 */
const plain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** A text as JSON. */
export const quote = (text: string): string => (plain.test(text) ? `"${text}"` : JSON.stringify(text));

const json = (value: unknown): string => JSON.stringify(value ?? null);

const utc = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,3})\d*)?\+00$/;

/** In UTC, as all are that the pool returns, a time is rewritten as text; microseconds are cut off as a Date does. */
function timeCell(parse: ParseText): WriteCell {
  return (text) => {
    const parts = utc.exec(text);
    if (parts === null) return json(isoTime(parse(timestamp, text) as Date));
    return `"${parts[1]}T${parts[2]}.${(parts[3] ?? '').padEnd(3, '0')}Z"`;
  };
}
