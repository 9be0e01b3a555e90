/** What a trace of a call consists of: SIP messages of its legs, and reasons of decisions. */
import type { CallState, Disconnect, Protocol } from '../call.ts';

/** Customers see the messages of their own side; of a carrier's they see the first lines. */
type Side = 'customer' | 'carrier';

/** Where a message came from or went to. */
export interface Endpoint {
  readonly transport: Protocol;
  /** An IP address; a local one may be the name that this server advertises. */
  readonly address: string;
  readonly port: number;
}

/** `in` was received by this server, `out` was sent. */
export type Way = 'in' | 'out';

export interface MessageEntry {
  readonly kind: 'message';
  /** ISO 8601 with microseconds. */
  readonly at: string;
  /** 0 is the caller's leg; each attempt has the next number. */
  readonly leg: number;
  readonly way: Way;
  readonly transport: Endpoint['transport'];
  /** `192.0.2.1:5060`, `[2001:db8::1]:5060`. */
  readonly peer: string;
  readonly local: string;
  /** The message without secrets. */
  readonly text: string;
}

interface ReasonEntry {
  readonly kind: 'reason';
  readonly at: string;
  readonly text: string;
  /** For the operator only: it names a carrier. */
  readonly internal?: true;
}

export type TraceEntry = MessageEntry | ReasonEntry;

/** The facts of a call by which its trace is found and shown. */
export interface TracedCall {
  readonly id: string;
  readonly direction: 'in' | 'out';
  readonly accountId: string | null;
  readonly srcNumber: string;
  readonly dstNumber: string;
  /** How the caller's equipment names itself. */
  readonly userAgent: string | null;
  readonly trunkIds: readonly string[];
  readonly trunkName: string | null;
  readonly carrierName: string | null;
  /** Who is on the caller's leg. */
  readonly callerSide: Side;
  /** One leg per attempt. */
  readonly attempts: readonly { readonly callId: string; readonly side: Side }[];
  readonly state: CallState;
  readonly disconnect: Disconnect | null;
  readonly startedAt: Date;
  readonly answeredAt: Date | null;
  readonly endedAt: Date | null;
}

/** A call that was refused, with the rule that did not match. */
export interface RefusedCall {
  readonly direction: 'in' | 'out';
  /** Such as `unlisted_source`. */
  readonly rule: string;
  readonly code: number;
  readonly text: string;
  /** Null for a simulated call. */
  readonly sourceAddress: string | null;
  readonly accountId: string | null;
  /** The called number or the trunk, if it belongs to an account; null otherwise, since a scanner invents numbers. */
  readonly about: string | null;
  readonly srcNumber: string;
  readonly dstNumber: string;
  readonly carrierName: string | null;
  /** SIP Call-ID of the caller's leg. */
  readonly callId: string | null;
}

/** `192.0.2.1:5060`, `[2001:db8::1]:5060`. */
export const endpointText = ({ address, port }: Pick<Endpoint, 'address' | 'port'>): string =>
  address.includes(':') && !address.startsWith('[') ? `[${address}]:${port}` : `${address}:${port}`;

/** The first line of a message: what a ladder shows of it. */
export const firstLineOf = (text: string): string => /^[^\r\n]*/.exec(text)?.[0] ?? '';
