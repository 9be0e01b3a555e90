/**
 * Hangs up the legs of calls whose process was killed: their dialogs were stored when the call was answered, and are
 * rebuilt here to send BYE. A leg that has changed since then (by a transfer) is not found, and says 481. Ports that
 * their media have elsewhere are closed.
 */
import { Dialog } from '../../engines/sip/dialog/dialog.ts';
import { DialogRequest } from '../../engines/sip/dialog/dialog-request.ts';
import type { SipResponse } from '../../engines/sip/message/message.ts';
import { parseNameAddress } from '../../engines/sip/message/name-address.ts';
import { parameter } from '../../engines/sip/message/parameters.ts';
import { formatHostPort, hostOfAddress } from '../../engines/sip/message/uri.ts';
import type { Disconnect, StoredDialog } from '../voice/call.ts';
import { phraseOf } from '../voice/disconnect-codes.ts';
import type { EndedElsewhere } from '../voice/end-elsewhere.ts';
import { addToTrace } from '../voice/trace/write-traces.ts';
import type { SipEndpoint } from './endpoint.ts';
import { reasonHeader } from './headers.ts';

export const storedDialog = (dialog: Dialog): StoredDialog => ({
  callId: dialog.callId,
  local: dialog.local,
  remote: dialog.remote,
  routes: dialog.routes,
  remoteTarget: dialog.remoteTarget,
  sequence: dialog.localSequence,
  peer: { transport: dialog.peer.transport, address: dialog.peer.address, port: dialog.peer.port },
});

/** More than a call sends within a dialog in a day: the number of its last request is not stored. */
const skippedNumbers = 10_000;

/** Legs that are hung up at once; each waits up to 32 s for its peer. */
const mostAtOnce = 100;

export async function hangUpForsaken(endpoint: SipEndpoint, calls: readonly EndedElsewhere[]): Promise<void> {
  endpoint.media?.forget?.(calls.map(({ call }) => call.id));
  const legs = calls.flatMap(({ call, dialogs }) => dialogs.map((stored) => ({ call, stored }))).values();
  const results: string[] = [];
  const hangUpOnes = async () => {
    for (const { call, stored } of legs) {
      const result = await hangUp(endpoint, stored, call.disconnect);
      results.push(result);
      await addToTrace(endpoint.env, call.id, `after the loss of its process, the leg ${stored.callId}: ${result}`);
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, hangUpOnes));
  const counts = Object.fromEntries(
    [...Map.groupBy(results, (result) => result)].map(([key, all]) => [key, all.length]),
  );
  if (results.length === 0) return;
  endpoint.env.log.warn({ calls: calls.length, legs: counts }, 'hung up the legs of calls whose process is gone');
}

/** The tag in a stored From or To. */
export const tagOf = (value: string): string => parameter(parseNameAddress(value).parameters, 'tag') ?? '';

/** Returns what became of it, in words. */
function hangUp(endpoint: SipEndpoint, stored: StoredDialog, disconnect: Disconnect | null): Promise<string> {
  const { agent } = endpoint;
  const { peer } = stored;
  const { code, reason } = disconnect ?? { code: 500, reason: phraseOf(500) };
  return new Promise((resolve) => {
    const dialog = new Dialog({
      ...{ callId: stored.callId, local: stored.local, remote: stored.remote, routes: stored.routes },
      ...{ localTag: tagOf(stored.local), remoteTag: tagOf(stored.remote), remoteTarget: stored.remoteTarget },
      ...{ localSequence: stored.sequence + skippedNumbers, remoteSequence: null, peer, contact: agent.contact(peer) },
    });
    const finished = (response: SipResponse | null) => resolve(outcome(response, peer));
    const extra = { headers: [reasonHeader(code, reason)] };
    new DialogRequest({ agent, dialog, method: 'BYE', extra, account: null, finished }).send();
  });
}

function outcome(response: SipResponse | null, { transport, address, port }: StoredDialog['peer']): string {
  if (response === null) {
    const at = formatHostPort({ host: hostOfAddress(address), port });
    return transport === 'UDP'
      ? `no response from ${at}`
      : `${at} cannot be reached again: its ${transport} connection was that of the lost process`;
  }
  if (response.status < 300) return 'hung up';
  if (response.status === 481) return 'had ended already';
  return `refused with ${response.status}`;
}
