/**
 * Reads one message from bytes. Throws `SipError` for what is no SIP message at all; `checkMessage` finds what is wrong
 * inside, also header lines that were damaged: the rest of them is read, so that the request can be refused.
 */
import { HeaderList } from './header-list.ts';
import { headerName } from './header-names.ts';
import { limits } from './limits.ts';
import { type SipMessage, SipRequest, SipResponse } from './message.ts';
import { badRequest, type SipError } from './sip-error.ts';
import { isToken, parseDigits } from './text.ts';

const startOfHeader = /[ \t]*\r?\n[ \t]+/g;

/** One datagram, or one message that stream framing has cut out. */
export function parseMessage(bytes: Buffer): SipMessage {
  if (bytes.length > limits.messageBytes) throw badRequest('Message too large');
  const start = afterEmptyLines(bytes);
  const { headEnd, bodyStart } = headBounds(bytes, start);
  if (headEnd - start > limits.headBytes) throw badRequest('Headers too large');
  const head = unfolded(bytes.toString('utf8', start, headEnd));
  const firstEnd = endOfLine(head, 0);
  const startLine = head.slice(0, firstEnd).trimEnd();
  const { headers, damage } = parseHeaders(head, nextLine(head, firstEnd));
  const body = bodyOf(bytes.subarray(bodyStart), headers);
  const isResponse = /^SIP\//i.test(startLine);
  const message = isResponse ? parseResponse(startLine, headers, body) : parseRequest(startLine, headers, body);
  message.damage = damage;
  return message;
}

/** Empty lines before a message are keep-alives or noise and skipped (RFC 3261 7.5). */
export function afterEmptyLines(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === 13 || bytes[at] === 10) at++;
  return at;
}

/** Where the headers end and the body starts; a datagram may lack the empty line when it has no body. */
export function headBounds(bytes: Buffer, start: number): { headEnd: number; bodyStart: number } {
  const strict = bytes.indexOf('\r\n\r\n', start, 'latin1');
  const bare = bytes.indexOf('\n\n', start, 'latin1');
  if (bare >= 0 && (strict < 0 || bare < strict)) return { headEnd: bare, bodyStart: bare + 2 };
  if (strict < 0) return { headEnd: bytes.length, bodyStart: bytes.length };
  return { headEnd: strict, bodyStart: strict + 4 };
}

/** A line that begins with whitespace continues the one before it (RFC 3261 7.3.1). */
function unfolded(head: string): string {
  return head.includes('\n ') || head.includes('\n\t') ? head.replace(startOfHeader, ' ') : head;
}

function endOfLine(head: string, from: number): number {
  const end = head.indexOf('\n', from);
  return end < 0 ? head.length : end;
}

function nextLine(head: string, end: number): number {
  return Math.min(end + 1, head.length);
}

function parseHeaders(head: string, from: number): { headers: HeaderList; damage: SipError | null } {
  const headers = new HeaderList();
  let damage: SipError | null = null;
  for (let start = from; start < head.length; ) {
    const end = endOfLine(head, start);
    if (end > start && head.charCodeAt(start) !== 13) damage = parseHeader(head.slice(start, end), headers) ?? damage;
    if (headers.size > limits.headers) throw badRequest('Too many headers');
    start = nextLine(head, end);
  }
  return { headers, damage };
}

/** Returns what is wrong with the line. */
function parseHeader(line: string, headers: HeaderList): SipError | null {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0)).trimEnd();
  if (!isToken(name)) return badRequest('Malformed header line');
  // A carriage return or NUL inside a line would be a line break for other implementations, who are not sent it back.
  const value = line.slice(colon + 1).trim();
  const isClean = !value.includes('\r') && !value.includes('\0');
  headers.addParsed(headerName(name), isClean ? value : value.replace(/[\r\0]+/g, ' '));
  return isClean ? null : badRequest('Control character in header');
}

/** Bytes after the stated length are ignored (RFC 3261 18.3); too few bytes are found by `checkMessage`. */
function bodyOf(bytes: Buffer, headers: HeaderList): Buffer {
  const length = contentLength(headers);
  return length !== null && length < bytes.length ? bytes.subarray(0, length) : bytes;
}

/** The stated length, or null when it is absent or no number. */
export function contentLength(headers: HeaderList): number | null {
  const text = headers.first('Content-Length');
  return text === undefined ? null : parseDigits(text, 9);
}

function parseRequest(line: string, headers: HeaderList, body: Buffer): SipRequest {
  const methodEnd = line.indexOf(' ');
  const versionStart = line.lastIndexOf(' ');
  const version = /^SIP\/(\d[\d.]*)$/i.exec(line.slice(versionStart + 1))?.[1];
  if (methodEnd <= 0 || versionStart <= methodEnd || version === undefined) throw badRequest('Malformed request line');
  return new SipRequest(line.slice(0, methodEnd), line.slice(methodEnd + 1, versionStart), headers, body, version);
}

function parseResponse(line: string, headers: HeaderList, body: Buffer): SipResponse {
  const [, digits = '', reason = ''] = /^SIP\/2\.0 (\d{3})(?: (.*))?$/i.exec(line) ?? [];
  const status = parseDigits(digits, 3);
  if (status === null || status < 100 || status > 699) throw badRequest('Malformed status line');
  return new SipResponse(status, reason, headers, body);
}
