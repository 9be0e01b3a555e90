/**
 * Copies an account from the sandbox into an empty database of the same schema; or, as an operator's act, all of them.
 * A clone by the server is faster, but it would hold everything, and nobody may be connected to what it clones.
 */
import { machineClock } from '../../base/clock.ts';
import { fillTables } from './fill-tables.ts';
import { readState, readTables, withReader } from './read-tables.ts';

export interface Copy {
  readonly fromUrl: string;
  readonly toUrl: string;
  /** Null: all accounts. */
  readonly accountId: string | null;
  /** Whose copy it is: it calls back to nobody else. */
  readonly ownerId: string;
  readonly patienceMs: number;
}

export async function copyDatabase({ fromUrl, toUrl, accountId, ownerId, patienceMs }: Copy): Promise<void> {
  await withReader(fromUrl, async (source) => {
    const state = await readState(source, machineClock.now());
    await fillTables(
      toUrl,
      readTables(source, { accountId, forFile: false }),
      { state, patienceMs },
      async (target) => {
        if (accountId !== null) return;
        for (const change of silences) await target.query(change, [ownerId]);
      },
    );
  });
}

/** A world sends nothing that its account could not send, so in a whole copy the others have no receivers. */
const silences: readonly string[] = [
  ...['orders', 'exports', 'voice_out_trunks', 'address_verifications', 'emergency_verifications'],
  ...['otp_applications', 'balance_alerts'],
]
  .map((table) => `update ${table} set callback_url = null where account_id <> $1 and callback_url is not null`)
  .concat(
    'update accounts set call_events = null where id <> $1 and call_events is not null',
    'delete from call_event_streams where account_id <> $1',
  );
