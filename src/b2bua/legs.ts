/** What one leg of a call sends and how it ended, whatever the other does. */
import type { EndCause, Session } from '../sip/dialog/session.ts';
import type { SipResponse } from '../sip/message/message.ts';
import { hostOfAddress } from '../sip/message/uri.ts';
import type { Target } from '../sip/transport/wire.ts';
import type { Disconnect, Initiator } from '../voice/call.ts';
import { hangUp } from '../voice/disconnect-codes.ts';

/** In-dialog OPTIONS find calls whose ends vanished without a BYE. */
export const keepAliveMs = 60_000;

export const forbidden = { code: 403, reason: 'Calls to this address are not allowed', initiator: 'switch' } as const;
export const unresolved = { code: 503, reason: 'The host has no address', initiator: 'switch' } as const;

export const lost = (initiator: Initiator): Disconnect => ({ ...hangUp, initiator });

export function disconnectOf(cause: EndCause, side: Initiator): Disconnect {
  if (cause === 'remote' || cause === 'local') return { ...hangUp, initiator: side };
  const reason = { unacknowledged: 'No ACK', expired: 'Session timer expired', lost: 'No response' }[cause];
  return { code: 408, reason, initiator: 'switch' };
}

/** Acknowledges an answer that nobody wants, and hangs up. */
export function dismiss(session: Session, response: SipResponse, reason?: string): void {
  session.acknowledge(response);
  session.hangUp(reason === undefined ? {} : { headers: [['Reason', reason]] });
}

/** Headers of provisional responses that concern the caller. */
export function relayedHeaders(response: SipResponse): [string, string][] {
  return ['P-Early-Media', 'Alert-Info'].flatMap((name) =>
    response.headers.all(name).map((value): [string, string] => [name, value]),
  );
}

export function withAddress(uri: string, { address, port }: Target): string {
  return uri.replace(/^(sips?:(?:[^@]*@)?)[^;?]+/, `$1${hostOfAddress(address)}:${port}`);
}
