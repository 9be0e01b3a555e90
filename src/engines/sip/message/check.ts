/** What every message must satisfy before a transaction is made of it (RFC 3261 8.1.1, 8.2, 18.3). */
import type { SipMessage, SipRequest } from './message.ts';
import { parseNameAddress } from './name-address.ts';
import { contentLength } from './parse.ts';
import { badRequest, SipError } from './sip-error.ts';
import { isToken, parseDigits } from './text.ts';
import { parseUri } from './uri.ts';

/** The problem of a message, or null. A request is answered with its status; a response is dropped. */
export function checkMessage(message: SipMessage): SipError | null {
  try {
    // What follows may mean something else in another version.
    if (message.isRequest && message.version !== '2.0') throw new SipError(505, 'Version Not Supported');
    if (message.damage) throw message.damage;
    checkFraming(message);
    checkIdentity(message);
    if (message.isRequest) checkRequest(message);
    return null;
  } catch (error) {
    if (error instanceof SipError) return error;
    throw error;
  }
}

function checkFraming(message: SipMessage): void {
  const repeated = message.headers.repeated();
  if (repeated !== null) throw badRequest(`Repeated ${repeated}`);
  if (!message.headers.has('Content-Length')) return;
  const length = contentLength(message.headers);
  if (length === null) throw badRequest('Malformed Content-Length');
  if (length > message.body.length) throw badRequest('Body shorter than Content-Length');
}

/** The getters throw for a missing or malformed header. */
function checkIdentity(message: SipMessage): void {
  const { via, from, to, cseq } = message;
  if (message.callId === '' || /\s/.test(message.callId)) throw badRequest('Missing or malformed Call-ID');
  if (!via || !from || !to) throw badRequest('Missing header');
  if (message.isRequest && cseq.method !== message.method) throw badRequest('CSeq method differs');
}

function checkRequest(request: SipRequest): void {
  if (!isToken(request.method)) throw badRequest('Malformed method');
  const uri = parseUri(request.uri);
  if (uri.scheme !== 'sip' && uri.scheme !== 'sips' && uri.scheme !== 'tel') {
    throw new SipError(416, 'Unsupported URI Scheme');
  }
  const maxForwards = request.headers.first('Max-Forwards');
  if (maxForwards !== undefined && (parseDigits(maxForwards, 10) ?? 256) > 255)
    throw badRequest('Malformed Max-Forwards');
  for (const contact of request.headers.all('Contact')) if (contact !== '*') parseNameAddress(contact);
}
