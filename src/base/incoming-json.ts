/**
 * JSON that clients send. Its bytes must be UTF-8 and its strings well-formed Unicode: what is not would be stored as
 * U+FFFD, or refused by PostgreSQL in the middle of a request.
 */

export class UnreadableJson extends Error {}

/** One for all: it keeps nothing between two bodies. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Throws `UnreadableJson`. */
export function readJson(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes);
    if (!hasLoneSurrogate(text)) return JSON.parse(text);
  } catch {
    // Not UTF-8 or not JSON; the caller's interface has one error for both.
  }
  throw new UnreadableJson('The request body is not valid JSON.');
}

/**
 * A pair of surrogates, a lone one (captured), or any other escape; read in sequence, so that `\\ud800` is plain text.
 */
const escapes = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|[\s\S])/g;

/** Valid UTF-8 has no surrogates, so a lone one can only come from an escape. Backslashes stand in strings only. */
function hasLoneSurrogate(json: string): boolean {
  if (!/\\u[dD][89a-fA-F]/.test(json)) return false;
  for (const [, lone] of json.matchAll(escapes)) if (lone !== undefined) return true;
  return false;
}

/** Like `readJson`, for an interface that refuses NUL in any string. Throws `UnreadableJson`. */
export function readStorableJson(bytes: Uint8Array): unknown {
  const value = readJson(bytes);
  if (!hasEscapedNul(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))) return value;
  throw new UnreadableJson('The request body holds a NUL character.');
}

const escapedNul = '\\u0000';
const backslash = 0x5c;

/**
 * Of valid JSON, where NUL can only be written as this escape: looking at every string of a long body took so long that
 * other requests waited. A backslash before it may be escaped itself, and this be plain text.
 */
function hasEscapedNul(json: Buffer): boolean {
  for (let at = json.indexOf(escapedNul); at >= 0; at = json.indexOf(escapedNul, at + escapedNul.length)) {
    let before = at;
    while (json[before - 1] === backslash) before -= 1;
    if ((at - before) % 2 === 0) return true;
  }
  return false;
}

/**
 * Whether PostgreSQL can store every string of a value: its text has no place for NUL. Not recursive: bodies nest deep.
 */
export function isStorable(value: unknown): boolean {
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string' && next.includes('\0')) return false;
    if (typeof next === 'object' && next !== null) {
      for (const [name, member] of Object.entries(next)) waiting.push(name, member);
    }
  }
  return true;
}
