/**
 * A BYE within a call whose process is gone, which an edge has brought here: it is answered, the call ends, and the
 * other side is told. Whoever knows the tags of a dialog may end it, as in any process.
 */
import { sql } from 'kysely';
import { isUnavailable } from '../../engines/db/unavailable.ts';
import type { ServerTransaction } from '../../engines/sip/transaction/server-transaction.ts';
import { readCall, type StoredDialog } from '../voice/call.ts';
import { endAs } from '../voice/end-elsewhere.ts';
import type { Voice } from '../voice/voice.ts';
import { lastSignOfLife } from '../voice/worker-lease.ts';
import type { SipEndpoint } from './endpoint.ts';
import { tagOf } from './forsaken-legs.ts';
import { disconnectOf } from './legs.ts';

/** Looked up at a time. What comes beyond that is 481, and the call ends with all others of its process. */
const mostAtOnce = 20;

export class StrayedByes {
  readonly #endpoint: SipEndpoint;
  readonly #voice: Voice;
  #lookUps = 0;

  constructor(endpoint: SipEndpoint, voice: Voice) {
    this.#endpoint = endpoint;
    this.#voice = voice;
  }

  /** Whether it is answered here. Costs nothing as long as every process lives. */
  take(transaction: ServerTransaction): boolean {
    const silent = transaction.request.method === 'BYE' ? this.#voice.silentWorkers() : [];
    if (silent.length === 0 || this.#lookUps >= mostAtOnce) return false;
    this.#lookUps += 1;
    this.#take(transaction, silent)
      .catch((error: unknown) => {
        const isAway = isUnavailable(error);
        if (!isAway) this.#endpoint.env.log.error({ err: error }, 'a BYE within a call of a lost process failed');
        transaction.reply(isAway ? 503 : 500);
      })
      .finally(() => {
        this.#lookUps -= 1;
      });
    return true;
  }

  async #take(transaction: ServerTransaction, silent: readonly string[]): Promise<void> {
    const { env } = this.#endpoint;
    const { request } = transaction;
    const found = await this.#find(transaction, silent);
    if (found === null) return void transaction.reply(481);
    transaction.reply(200);
    const { id, seenAt, side } = found;
    const disconnect = disconnectOf('remote', side === 0 ? 'origination' : 'destination');
    const ended = await endAs(env, id, (call) => ({ disconnect, at: lastSignOfLife(call, seenAt) }));
    if (ended === null) return;
    const others = ended.dialogs.filter(({ callId }) => callId !== request.callId);
    this.#voice.forsaken([{ call: ended.call, dialogs: others }]);
  }

  /** The caller's dialog is stored first. */
  async #find({ request }: ServerTransaction, silent: readonly string[]) {
    const { callId, fromTag, toTag } = request;
    const isOurs = (dialog: StoredDialog) =>
      dialog.callId === callId && tagOf(dialog.local) === toTag && tagOf(dialog.remote) === fromTag;
    const rows = await this.#endpoint.env.db
      .selectFrom('open_calls')
      .innerJoin('voice_workers', 'voice_workers.id', 'open_calls.worker_id')
      .select(['open_calls.id', 'call', 'seen_at'])
      .where('worker_id', 'in', silent)
      .where(sql<boolean>`call->'dialogs' @> ${JSON.stringify([{ callId }])}::jsonb`)
      .execute();
    for (const { id, call, seen_at: seenAt } of rows) {
      const side = readCall(call).dialogs.findIndex(isOurs);
      if (side >= 0) return { id, seenAt, side };
    }
    return null;
  }
}
