/** Where a request within a dialog goes: the address in its next hop, over the connection that the peer already has. */

import { isIP } from 'node:net';
import { addressOfHost, isSipUri, parseUri, type SipUri } from '../message/uri.ts';
import { defaultPort } from '../transport/response-target.ts';
import { isWebSocket, type Target, type TransportName } from '../transport/wire.ts';
import { isHidden } from './hidden-address.ts';

/**
 * `peer` is how the peer was last reached. It is used where the next hop is a name that has not been looked up or an
 * address behind NAT, and its open connection is used whenever the address is the same: a BYE must not open a second
 * connection.
 */
export function nextHopTarget(uri: string, peer: Target, addressOf?: (host: string) => string | null): Target {
  // A browser listens nowhere: whatever address its Contact names is not its own.
  if (isWebSocket(peer.transport)) return peer;
  const parsed = parseUri(uri);
  if (!isSipUri(parsed)) return peer;
  const host = addressOfHost(parsed.host);
  const address = isIP(host) !== 0 ? host : (addressOf?.(host) ?? null);
  if (address === null || isHidden(address, peer.address)) return peer;
  const transport = transportOf(parsed) ?? (address === peer.address ? peer.transport : 'UDP');
  const target: Target = { transport, address, port: parsed.port ?? defaultPort(transport) };
  if (isIP(host) === 0) target.serverName = host;
  if (transport === peer.transport && address === peer.address) {
    if (peer.connection !== undefined && peer.connection !== 0) target.connection = peer.connection;
    if (peer.serverName !== undefined) target.serverName = peer.serverName;
    if (peer.certificate !== undefined) target.certificate = peer.certificate;
    if (peer.unverified !== undefined) target.unverified = peer.unverified;
  }
  return target;
}

/** Whether the peer behind this URI can be reached only where its packets come from. */
export function isBehindNat(uri: string, peer: Target): boolean {
  const parsed = parseUri(uri);
  return isSipUri(parsed) && isHidden(addressOfHost(parsed.host), peer.address);
}

/** The transport that a URI names; null when it leaves the choice. */
export function transportOf(uri: SipUri): TransportName | null {
  if (uri.scheme === 'sips') return 'TLS';
  const named = uri.parameters.get('transport')?.toUpperCase();
  return named === 'UDP' || named === 'TCP' || named === 'TLS' ? named : null;
}
