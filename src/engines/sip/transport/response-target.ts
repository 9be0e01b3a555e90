/** Where a response goes, and what is noted in a request's Via about its source (RFC 3261 18.2, RFC 3581). */
import type { SipRequest } from '../message/message.ts';
import { addressOfHost } from '../message/uri.ts';
import { formatVia, type Via } from '../message/via.ts';
import { isHidden } from '../resolve/hidden-address.ts';
import { type Flow, isWebSocket, type Target, type TransportName } from './wire.ts';

const defaultPorts: Readonly<Record<TransportName, number>> = { UDP: 5060, TCP: 5060, TLS: 5061, WS: 80, WSS: 443 };

export function defaultPort(transport: TransportName): number {
  return defaultPorts[transport];
}

/**
 * Streams answer on the connection of the request. Datagrams go to the source address; to the source port if the
 * request asked for that (`rport`) or its Via names an address behind NAT, else to the port its Via names. `maddr` is
 * not followed: it would let a stranger aim our responses at anybody.
 */
export function responseTarget(via: Via, flow: Flow, alwaysToSource: boolean): Target {
  const { transport, address, port, connection } = flow;
  if (isWebSocket(transport)) return { transport, address, port, connection };
  const named = via.port ?? defaultPort(transport);
  if (transport !== 'UDP') return { transport, address, port: named, connection };
  const toSource = alwaysToSource || via.parameters.has('rport') || isHidden(addressOfHost(via.host), address);
  return { transport, address, port: toSource ? port : named };
}

/** Writes `received` and `rport` into the topmost Via, so that the response carries them. */
export function noteSource(request: SipRequest, flow: Flow): void {
  const { via } = request;
  const wantsPort = via.parameters.has('rport');
  if (!wantsPort && addressOfHost(via.host) === flow.address) return;
  const parameters = new Map(via.parameters);
  // RFC 3261 20.42: also an IPv6 address without brackets.
  parameters.set('received', flow.address);
  if (wantsPort) parameters.set('rport', String(flow.port));
  request.headers.replaceFirst('Via', formatVia({ ...via, parameters }));
}
