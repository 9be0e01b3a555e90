/** What calls need of the user agent that holds them. */
import type { IdSource } from '../ids.ts';
import { allowedInDialog } from '../message/allowed-methods.ts';
import type { SipMessage, SipRequest, SipResponse } from '../message/message.ts';
import type { Timers } from '../timers.ts';
import type { ServerTransaction } from '../transaction/server-transaction.ts';
import type { TransactionLayer } from '../transaction/transaction-layer.ts';
import type { Flow, Target } from '../transport/wire.ts';
import type { Dialog } from './dialog.ts';

/** Receives the requests of one dialog. */
export interface DialogUser {
  request(transaction: ServerTransaction): void;
  ack(request: SipRequest): void;
  /** A connection of a client that nothing else leads to has ended; it may be that of this dialog. */
  connectionEnded?(flow: Flow): void;
}

export interface Agent {
  readonly timers: Timers;
  readonly ids: IdSource;
  readonly transactions: TransactionLayer;
  /** From 0 to below 1, for pauses that must differ between the ends of a dialog. */
  random(): number;
  /** The Contact of this element towards a peer. */
  contact(target: Target): string;
  /** Where a request within a dialog goes now. */
  targetOf(dialog: Dialog): Target;
  addDialog(dialog: Dialog, user: DialogUser): void;
  removeDialog(dialog: Dialog): void;
}

/** Extensions that this layer understands, as told in Supported. */
export const supportedExtensions = ['100rel', 'timer'] as const;

/** A body with its type, for example an SDP. */
export interface Content {
  type: string;
  body: Buffer;
}

export interface Extra {
  content?: Content | undefined;
  headers?: readonly (readonly [name: string, value: string])[] | undefined;
}

export function addExtra(message: SipMessage, extra: Extra): void {
  for (const [name, value] of extra.headers ?? []) message.headers.add(name, value);
  if (extra.content) message.setBody(extra.content.type, extra.content.body);
}

/**
 * Headers that tell what this element can do: an OPTIONS response without them counts as "unavailable" for some peers.
 */
export function describeAgent(response: SipResponse, contact: string, allowed: string = allowedInDialog): void {
  response.headers.add('Contact', contact);
  response.headers.add('Allow', allowed);
  response.headers.add('Accept', 'application/sdp');
  response.headers.add('Accept-Encoding', 'identity');
  response.headers.add('Accept-Language', 'en');
  response.headers.add('Supported', supportedExtensions.join(', '));
}
