/** The small interface between SIP and what carries it: real sockets, or a simulated network. */

/** `WS` and `WSS` connections are opened by clients (RFC 7118), never by this server. */
export type TransportName = 'UDP' | 'TCP' | 'TLS' | 'WS' | 'WSS';

export interface Peer {
  transport: TransportName;
  /** An IP address, IPv6 without brackets. */
  address: string;
  port: number;
}

/** Where a message came from. A response to it goes back there. */
export interface Flow extends Peer {
  /** The stream connection on which it came; 0 for datagrams. */
  connection: number;
}

export interface Target extends Peer {
  /**
   * The host name before DNS: the TLS certificate must match it, and it is sent as SNI. Absent if the URI had an
   * address.
   */
  serverName?: string;
  /** A connection to use if it is still open; otherwise another one is found or opened. */
  connection?: number;
  /** Which of the configured client certificates to show. Connections are not shared between them. */
  certificate?: string;
  /** Do not check the peer's certificate: it is configured so for this peer. */
  unverified?: boolean;
}

/** Called once the bytes were handed to the network, or with the reason why they were not. */
export type Sent = (error: Error | null) => void;

/** One listening transport of one address family. */
export interface Wire {
  readonly transport: TransportName;
  readonly family: 4 | 6;
  /** The port it listens on. */
  readonly port: number;
  /** How long a message has waited, in milliseconds, before this process reads it; absent if that cannot be known. */
  readonly waitMs?: number;
  send(bytes: Buffer, target: Target, sent: Sent): void;
  close(): Promise<void>;
}

/** Receives whole messages. Bytes may be kept: they are not reused. */
export type Received = (bytes: Buffer, flow: Flow) => void;

export function isReliable(transport: TransportName): boolean {
  return transport !== 'UDP';
}

export function isWebSocket(transport: TransportName): boolean {
  return transport === 'WS' || transport === 'WSS';
}

/** Whether what is sent there goes by this connection. */
export function isBy({ transport, address, port, connection }: Flow, target: Target): boolean {
  return (
    target.connection === connection &&
    target.transport === transport &&
    target.address === address &&
    target.port === port
  );
}

export function familyOf(address: string): 4 | 6 {
  return address.includes(':') ? 6 : 4;
}

/** Node reports IPv4 peers of a dual-stack socket as ::ffff:192.0.2.1. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
