/** `"Name" <sip:user@host>;tag=1`, the form of From, To, Contact, Route, Record-Route and their like. */
import { formatParameters, type Parameters, parseParameters } from './parameters.ts';
import { badRequest } from './sip-error.ts';
import { code, endOfQuoted, quote, skipSpace, unquote } from './text.ts';

export interface NameAddress {
  displayName: string;
  /** As written; `parseUri` reads it. */
  uri: string;
  /** Parameters of the header, such as `tag` and `expires`; those of the URI stay in `uri`. */
  parameters: Parameters;
}

export function parseNameAddress(text: string): NameAddress {
  const start = skipSpace(text, 0);
  let displayName = '';
  let bracket: number;
  if (text.charCodeAt(start) === code.quote) {
    const end = endOfQuoted(text, start);
    displayName = unquote(text.slice(start, end));
    bracket = skipSpace(text, end);
    if (text.charCodeAt(bracket) !== code.less) throw badRequest('Malformed address');
  } else {
    bracket = text.indexOf('<', start);
    if (bracket < 0) return parseBareAddress(text, start);
    displayName = text.slice(start, bracket).trim();
    if (displayName.includes('"')) throw badRequest('Unbalanced quote');
  }
  const end = text.indexOf('>', bracket);
  if (end < 0) throw badRequest('Malformed address');
  const uri = text.slice(bracket + 1, end);
  checkUriText(uri);
  return { displayName, uri, parameters: parseParameters(text, end + 1) };
}

/**
 * Without angle brackets everything after a semicolon belongs to the header, and the URI may not have a comma or
 * headers.
 */
function parseBareAddress(text: string, start: number): NameAddress {
  const semicolon = text.indexOf(';', start);
  const uriEnd = semicolon < 0 ? text.length : semicolon;
  const uri = text.slice(start, uriEnd).trimEnd();
  checkUriText(uri);
  if (/[,?]/.test(uri)) throw badRequest('URI needs angle brackets');
  return { displayName: '', uri, parameters: parseParameters(text, uriEnd) };
}

/** Cheap check of what every URI has; the one who needs its parts parses it. */
function checkUriText(uri: string): void {
  if (uri.indexOf(':') < 1 || /[\s<>"]/.test(uri)) throw badRequest('Malformed URI in address');
}

export function formatNameAddress({ displayName, uri, parameters }: NameAddress): string {
  const name = displayName === '' ? '' : `${quote(displayName)} `;
  return `${name}<${cleanUriText(uri)}>${formatParameters(parameters)}`;
}

function cleanUriText(uri: string): string {
  return /[\s<>"]/.test(uri) ? uri.replace(/[\s<>"]/g, '') : uri;
}
