/**
 * The parts of a multipart body (RFC 5621), each with its own headers. The body itself passes through a B2BUA
 * unchanged.
 */
import { HeaderList } from './header-list.ts';
import { headerName } from './header-names.ts';
import { limits } from './limits.ts';
import type { SipMessage } from './message.ts';
import { parameter, parseParameters } from './parameters.ts';
import { badRequest } from './sip-error.ts';

interface BodyPart {
  /** Lower case, without parameters; `text/plain` where none is named. */
  contentType: string;
  headers: HeaderList;
  body: Buffer;
}

/** The parts of a multipart body; of any other body the one part that it is, and none for an empty one. */
export function bodyParts(message: SipMessage): BodyPart[] {
  const contentType = message.headers.first('Content-Type') ?? '';
  if (message.body.length === 0) return [];
  if (!/^multipart\//i.test(contentType)) {
    return [{ contentType: mediaType(contentType), headers: message.headers, body: message.body }];
  }
  const semicolon = contentType.indexOf(';');
  const boundary = semicolon < 0 ? undefined : parameter(parseParameters(contentType, semicolon), 'boundary');
  if (!boundary || boundary.length > 70) throw badRequest('Malformed multipart boundary');
  return split(message.body, Buffer.from(`--${boundary}`)).map(parsePart);
}

/** The first part of a type, for example `application/sdp`. */
export function bodyPart(message: SipMessage, contentType: string): BodyPart | undefined {
  return bodyParts(message).find((part) => part.contentType === contentType);
}

function split(body: Buffer, delimiter: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let start = body.indexOf(delimiter);
  while (start >= 0) {
    const from = start + delimiter.length;
    // Two dashes after the delimiter close the body.
    if (body.toString('latin1', from, from + 2) === '--') return parts;
    start = body.indexOf(delimiter, from);
    if (start < 0) break;
    parts.push(body.subarray(from, start));
    if (parts.length > limits.bodyParts) throw badRequest('Too many body parts');
  }
  throw badRequest('Unterminated multipart body');
}

/** The line break before a delimiter belongs to the delimiter. */
function parsePart(bytes: Buffer): BodyPart {
  const text = bytes.toString('latin1');
  const lineEnd = text.indexOf('\n') + 1;
  const trailing = text.endsWith('\r\n') ? 2 : text.endsWith('\n') ? 1 : 0;
  const empty = /^\r?\n/.exec(text.slice(lineEnd));
  const blank = empty ? null : /\r?\n\r?\n/.exec(text.slice(lineEnd));
  const headEnd = blank ? lineEnd + blank.index : lineEnd;
  const bodyStart = empty ? lineEnd + empty[0].length : blank ? headEnd + blank[0].length : lineEnd;
  const headers = new HeaderList();
  for (const line of bytes.toString('utf8', lineEnd, headEnd).split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.addParsed(headerName(line.slice(0, colon).trim()), line.slice(colon + 1).trim());
  }
  const body = bytes.subarray(bodyStart, Math.max(bodyStart, bytes.length - trailing));
  return { contentType: mediaType(headers.first('Content-Type') ?? ''), headers, body };
}

function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase() || 'text/plain';
}
