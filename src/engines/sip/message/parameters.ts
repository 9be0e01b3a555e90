/** Parameters such as `;branch=z9hG4bK1;rport`. Names are lower case; values are kept as written, quotes included. */
import { limits } from './limits.ts';
import { badRequest } from './sip-error.ts';
import { code, endOfQuoted, isSpace, isToken, skipSpace, unquote } from './text.ts';

/** Name → value; null for a parameter without a value. Of a repeated name the first counts. */
export type Parameters = Map<string, string | null>;

/** Reads `;name=value` pairs from `start` to the end of the text. */
export function parseParameters(text: string, start: number): Parameters {
  const parameters: Parameters = new Map();
  let at = skipSpace(text, start);
  while (at < text.length) {
    if (text.charCodeAt(at) !== code.semicolon) throw badRequest('Malformed parameters');
    at = skipSpace(text, at + 1);
    const nameStart = at;
    while (at < text.length && !endsWord(text.charCodeAt(at)) && text.charCodeAt(at) !== code.equals) at++;
    const name = text.slice(nameStart, at).toLowerCase();
    at = skipSpace(text, at);
    let value: string | null = null;
    if (text.charCodeAt(at) === code.equals) {
      const valueStart = skipSpace(text, at + 1);
      at = endOfValue(text, valueStart);
      value = text.slice(valueStart, at);
      at = skipSpace(text, at);
    }
    // An empty parameter (`;;` or a trailing `;`) is harmless and occurs.
    if (name === '' && value === null) continue;
    if (!isToken(name)) throw badRequest('Malformed parameter name');
    if (!parameters.has(name)) parameters.set(name, value);
    if (parameters.size > limits.parameters) throw badRequest('Too many parameters');
  }
  return parameters;
}

export function formatParameters(parameters: Parameters): string {
  let text = '';
  for (const [name, value] of parameters) text += value === null ? `;${name}` : `;${name}=${value}`;
  return text;
}

/** The value without its quotes; undefined when the parameter is absent or has no value. */
export function parameter(parameters: Parameters, name: string): string | undefined {
  const value = parameters.get(name);
  return value === undefined || value === null ? undefined : unquote(value);
}

function endOfValue(text: string, start: number): number {
  if (text.charCodeAt(start) === code.quote) return endOfQuoted(text, start);
  let at = start;
  for (; at < text.length; at++) {
    const character = text.charCodeAt(at);
    if (endsWord(character)) break;
    // Written into a header again it would become a space, and the header could not be read any more.
    if (character < code.space || character === code.delete) throw badRequest('Malformed parameters');
  }
  return at;
}

function endsWord(character: number): boolean {
  return character === code.semicolon || isSpace(character);
}
