/**
 * Lexical rules of RFC 3261 25.1: tokens, quoted strings, separators outside of quotes; and cleaning of text from
 * outside.
 */
import { badRequest } from './sip-error.ts';

const tokenCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.!%*_+`'~";
const tokenTable = characterTable(tokenCharacters);
const hostTable = characterTable('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._');

export const code = {
  tab: 9,
  space: 32,
  quote: 34,
  comma: 44,
  semicolon: 59,
  less: 60,
  equals: 61,
  greater: 62,
  backslash: 92,
  delete: 127,
};

export function characterTable(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

export function consistsOf(table: Uint8Array, text: string): boolean {
  for (let at = 0; at < text.length; at++) if (table[text.charCodeAt(at)] !== 1) return false;
  return text.length > 0;
}

export function isToken(text: string): boolean {
  return consistsOf(tokenTable, text);
}

/** A host name or IPv4 address; underscores occur in real networks. IPv6 addresses stand in brackets. */
export function isHost(text: string): boolean {
  if (text.startsWith('[')) return /^\[[0-9a-fA-F:.]{2,45}\]$/.test(text);
  return text.length <= 255 && consistsOf(hostTable, text);
}

/** A port from 1 to 65535, or null for anything else. */
export function parsePort(text: string): number | null {
  const port = parseDigits(text, 5);
  return port !== null && port >= 1 && port <= 65_535 ? port : null;
}

/** Reads only digits, at most `most` of them, so that the value is exact. */
export function parseDigits(text: string, most: number): number | null {
  if (text.length === 0 || text.length > most) return null;
  let value = 0;
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return value;
}

export function isSpace(character: number): boolean {
  return character === code.space || character === code.tab;
}

export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Index after the quoted string that begins at `from`. */
export function endOfQuoted(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === code.backslash) at++;
    else if (character === code.quote) return at + 1;
  }
  throw badRequest('Unbalanced quote');
}

/**
 * Splits at a separator that is neither in a quoted string nor in angle brackets. Throws when there are more than
 * `most`.
 */
export function splitOutside(text: string, separator: number, most: number): string[] {
  const parts: string[] = [];
  let start = 0;
  let bracketed = false;
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (character === code.quote && !bracketed) at = endOfQuoted(text, at) - 1;
    else if (character === code.less) bracketed = true;
    else if (character === code.greater) bracketed = false;
    else if (character === separator && !bracketed) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
      if (parts.length >= most) throw badRequest('Too many values');
    }
  }
  parts.push(text.slice(start).trim());
  return parts;
}

/** The content of a quoted string; other text is returned as it is. */
export function unquote(text: string): string {
  if (text.charCodeAt(0) !== code.quote || text.length < 2) return text;
  const inner = text.slice(1, -1);
  return inner.includes('\\') ? inner.replace(/\\(.)/gs, '$1') : inner;
}

/** Any text as a quoted string. */
export function quote(text: string): string {
  return `"${cleanText(text).replace(/[\\"]/g, '\\$&')}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be found.
const control = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be removed.
const controls = /[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g;

/**
 * Text as it may stand in a header: line breaks and other control characters become one space, so no header can be
 * smuggled in.
 */
export function cleanText(text: string): string {
  return control.test(text) ? text.replace(controls, ' ').trim() : text;
}
