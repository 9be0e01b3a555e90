/** Messages that follow from another message: responses, CANCEL, and the ACK to a failure response. */
import { allowedInDialog, allowedOutside } from './allowed-methods.ts';
import { SipRequest, SipResponse } from './message.ts';
import { formatNameAddress } from './name-address.ts';
import { statusReason } from './status.ts';

/** A response with the headers that RFC 3261 8.2.6 copies. `toTag` is added where the request's To has none. */
export function responseTo(
  request: SipRequest,
  status: number,
  reason = statusReason(status),
  toTag = '',
): SipResponse {
  const response = new SipResponse(status, reason);
  for (const name of ['Via', 'From', 'To', 'Call-ID', 'CSeq']) response.headers.copy(request.headers, name);
  if (status === 100) response.headers.copy(request.headers, 'Timestamp');
  // RFC 3261 8.2.1: 405 says what would be served.
  if (status === 405) response.headers.add('Allow', request.toTag === '' ? allowedOutside : allowedInDialog);
  if (toTag !== '' && request.toTag === '') {
    const to = { ...request.to, parameters: new Map(request.to.parameters).set('tag', toTag) };
    response.headers.set('To', formatNameAddress(to));
  }
  return response;
}

/** RFC 3261 9.1: same Request-URI, topmost Via, identity and Route as the request it cancels. */
export function cancelOf(request: SipRequest): SipRequest {
  return hopByHop(request, 'CANCEL', request.headers.first('To') ?? '');
}

/**
 * RFC 3261 17.1.1.3: as CANCEL, with the To of the response. It belongs to the INVITE's transaction, so Route is
 * copied.
 */
export function ackOfFailure(invite: SipRequest, response: SipResponse): SipRequest {
  return hopByHop(invite, 'ACK', response.headers.first('To') ?? '');
}

function hopByHop(request: SipRequest, method: string, to: string): SipRequest {
  const built = new SipRequest(method, request.uri);
  built.headers.add('Via', request.headers.firstOfList('Via') ?? '');
  built.headers.copy(request.headers, 'Route');
  built.headers.add('Max-Forwards', '70');
  built.headers.copy(request.headers, 'From');
  built.headers.add('To', to);
  built.headers.copy(request.headers, 'Call-ID');
  built.headers.add('CSeq', `${request.cseq.number} ${method}`);
  return built;
}
