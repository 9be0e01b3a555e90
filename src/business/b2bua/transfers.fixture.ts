/** Calls that a phone wants to transfer, and how it asks for it. */
import { expect } from 'vitest';
import type { Session } from '../../engines/sip/dialog/session.ts';
import type { Phone, World } from './world.fixture.ts';

/** An answered call of `caller` to `called`, whose trunk allows so many transfers. */
export async function talkingIn(world: World, mostTransfers = 1) {
  const [caller, called, third] = [await world.phone(), await world.phone(), await world.phone()];
  const { number, accountId } = await world.number([called.port], { max_transfers: mostTransfers });
  caller.dial(number);
  await expect.poll(() => called.events).toEqual(['ack']);
  return { caller, called, third, number, accountId };
}

/** Sends REFER within the phone's first call; returns the status. */
export async function refer(
  phone: Phone,
  to: string,
  headers: readonly [string, string][] = [],
): Promise<number | undefined> {
  let status: number | undefined | null = null;
  phone.sessions[0]?.send('REFER', { headers: [['Refer-To', to], ...headers] }, (response) => {
    status = response?.status;
  });
  await expect.poll(() => status).not.toBeNull();
  return status ?? undefined;
}

/** What the phone was told of the progress of its transfers. */
export const fragments = (phone: Phone) =>
  phone.requests.filter(({ method }) => method === 'NOTIFY').map(({ body }) => body.toString().trim());

/**
 * The Refer-To of a phone that wants the other party of one of its calls: Replaces names that call from the server's
 * side.
 */
export function otherPartyOf(session: Session | undefined): string {
  const { callId, localTag, remoteTag, remoteTarget } = session?.dialog ?? expect.unreachable();
  const replaces = encodeURIComponent(`${callId};to-tag=${remoteTag};from-tag=${localTag}`);
  return `<${remoteTarget}?Replaces=${replaces}>`;
}
