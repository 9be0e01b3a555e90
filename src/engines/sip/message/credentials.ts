/** WWW-Authenticate, Authorization and their Proxy- forms: a scheme and `name=value` pairs separated by commas. */
import { limits } from './limits.ts';
import { badRequest } from './sip-error.ts';
import { cleanText, code, isToken, quote, splitOutside, unquote } from './text.ts';

interface Credentials {
  /** Lower case: digest, basic … */
  scheme: string;
  /** Names in lower case, values without quotes. */
  parameters: Map<string, string>;
}

/** Values that are written without quotes (RFC 7616 3.3, 3.4); all others are quoted. */
const unquotedValues = new Set(['algorithm', 'nc', 'stale']);

export function parseCredentials(text: string): Credentials {
  const space = text.search(/[ \t]/);
  const scheme = (space < 0 ? text : text.slice(0, space)).toLowerCase();
  if (!isToken(scheme)) throw badRequest('Malformed credentials');
  const parameters = new Map<string, string>();
  for (const pair of space < 0 ? [] : splitOutside(text.slice(space + 1), code.comma, limits.parameters)) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(equals, 0)).trim().toLowerCase();
    if (!isToken(name) || parameters.has(name)) throw badRequest('Malformed credentials');
    parameters.set(name, unquote(pair.slice(equals + 1).trim()));
  }
  return { scheme, parameters };
}

/** `qop` is a quoted list in a challenge and a bare word in credentials. */
export function formatCredentials({ scheme, parameters }: Credentials, kind: 'challenge' | 'credentials'): string {
  const written = [...parameters].map(([name, value]) => {
    const bare = unquotedValues.has(name) || (name === 'qop' && kind === 'credentials');
    return `${name}=${bare ? cleanText(value) : quote(value)}`;
  });
  return `${scheme === 'digest' ? 'Digest' : scheme} ${written.join(', ')}`;
}
