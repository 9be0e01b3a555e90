/** What one leg of a call sends and how it ended, whatever the other does. */
import type { EndCause, Session } from '../../engines/sip/dialog/session.ts';
import type { SipResponse } from '../../engines/sip/message/message.ts';
import { hostOfAddress } from '../../engines/sip/message/uri.ts';
import { isBehindNat } from '../../engines/sip/resolve/next-hop.ts';
import type { Target } from '../../engines/sip/transport/wire.ts';
import type { Disconnect, Initiator } from '../voice/call.ts';
import { hangUp, ringingTimeoutCode } from '../voice/disconnect-codes.ts';
import type { Failure } from '../voice/live-call.ts';
import type { NoTarget } from './targets.ts';

/** In-dialog OPTIONS find calls whose ends vanished without a BYE. */
const keepAliveMs = 60_000;

/** Routers forget a UDP mapping that nothing used for half a minute. */
export const natKeepAliveMs = 25_000;

/** Asks the peer of an answered leg from time to time whether it is there, and keeps the way to one behind NAT open. */
export function keepAlive(session: Session): void {
  const { nextHop, peer } = session.dialog;
  session.keepAlive(peer.transport === 'UDP' && isBehindNat(nextHop, peer) ? natKeepAliveMs : keepAliveMs);
}

export const withoutTarget: Readonly<Record<NoTarget, Failure>> = {
  forbidden: { code: 403, reason: 'Calls to this address are not allowed', initiator: 'switch' },
  unresolved: { code: 503, reason: 'The host has no address', initiator: 'switch' },
};

export function disconnectOf(cause: EndCause, side: Initiator): Disconnect {
  if (cause === 'remote' || cause === 'local') return { ...hangUp, initiator: side };
  const reason = { unacknowledged: 'No ACK', expired: 'Session timer expired', lost: 'No response' }[cause];
  return { code: 408, reason, initiator: 'switch' };
}

/** An attempt that failed here: it rang too long, nobody responded, or nothing could be sent. */
export const ownFailure = (status: number, reason: string): Failure =>
  status === 408 && reason === 'Ringing Timeout'
    ? { code: ringingTimeoutCode, initiator: 'switch' }
    : { code: status, reason, initiator: 'switch' };

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
