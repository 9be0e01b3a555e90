/**
 * The 24-hour spending limit of an outbound trunk: reaching it blocks the trunk, and the trunk becomes active again
 * when enough charges are older than a day. Either change is sent to the trunk's callback.
 */

import { type Kysely, type Selectable, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { scheduleCallback } from '../../callbacks/schedule-callback.ts';
import { parseAmount } from '../../money/decimal.ts';

const reviewThresholdTask = defineTask<{ voice_out_trunk_id: string }>('voice.review_threshold', {
  priority: 'orders',
});

/**
 * Called in the transaction that wrote a charge. Locks the trunk's row, so that calls that end at the same time are
 * counted together. `isCut`: the call was cut because what is left does not pay for its next seconds.
 */
export async function blockAtThreshold(
  trx: Kysely<Schema>,
  env: Environment,
  trunkId: string,
  isCut = false,
): Promise<void> {
  const trunk = await lockTrunk(trx, trunkId);
  if (trunk === undefined || trunk.threshold_reached) return;
  const cannotBeReached = parseAmount(trunk.spent_at_most) < parseAmount(trunk.threshold_amount);
  if (cannotBeReached && !isCut) return;
  const spending = await spendingOf(trx, env, trunkId, trunk);
  if (!spending.reached && !isCut) return;
  await change(trx, env, trunkId, { status: 'blocked', threshold_reached: true });
  await scheduleReview(trx, env, trunkId, spending);
}

/** With less than this part of the threshold left, a call that this does not pay for finds the trunk used up. */
const usedUpPart = 20n;

/**
 * Called when a call was refused because of the threshold: blocks a trunk that is all but used up, so that its customer
 * hears of it. A call that is merely too dear, or that others leave nothing for at the moment, blocks nobody.
 */
export function blockIfUsedUp(env: Environment, trunkId: string): Promise<void> {
  return inTransaction(env.db, async (trx) => {
    const trunk = await lockTrunk(trx, trunkId);
    if (trunk === undefined || trunk.threshold_reached || parseAmount(trunk.held) > 0n) return;
    const threshold = parseAmount(trunk.threshold_amount);
    const left = threshold - parseAmount(trunk.spent_at_most);
    if (left * usedUpPart < threshold || threshold === 0n) await blockAtThreshold(trx, env, trunkId, true);
  });
}

/** Called after the limit was changed: blocks or unblocks the trunk according to what it has spent. */
export async function applyNewThreshold(trx: Kysely<Schema>, env: Environment, trunkId: string): Promise<void> {
  await blockAtThreshold(trx, env, trunkId);
  await openUnderThreshold(trx, env, trunkId);
}

/** Unblocks the trunk if enough charges have left the window; otherwise schedules the next review. */
export const reviewThreshold = handle(
  reviewThresholdTask,
  ({ voice_out_trunk_id }, { env }: TaskContext<Environment>) =>
    inTransaction(env.db, (trx) => openUnderThreshold(trx, env, voice_out_trunk_id)),
);

async function openUnderThreshold(trx: Kysely<Schema>, env: Environment, trunkId: string): Promise<void> {
  const trunk = await lockTrunk(trx, trunkId);
  // The customer has unblocked it already.
  if (trunk === undefined || !trunk.threshold_reached) return;
  const spending = await spendingOf(trx, env, trunkId, trunk);
  if (spending.reached) await scheduleReview(trx, env, trunkId, spending);
  else await change(trx, env, trunkId, { status: 'active', threshold_reached: false });
}

const lockTrunk = (trx: Kysely<Schema>, trunkId: string) =>
  trx
    .selectFrom('voice_out_trunks')
    .select(['threshold_amount', 'threshold_reached', 'threshold_from', 'spent_at_most', 'held'])
    .where('id', '=', trunkId)
    .forNoKeyUpdate()
    .executeTakeFirst();

interface Spending {
  reached: boolean;
  /**
   * Time of the oldest charge in the window, rounded up to the millisecond: jobs have milliseconds, charges
   * microseconds.
   */
  oldest: Date | null;
}

async function spendingOf(
  trx: Kysely<Schema>,
  env: Environment,
  trunkId: string,
  { threshold_amount: threshold, threshold_from }: { threshold_amount: string; threshold_from: Date | null },
): Promise<Spending> {
  const day = windowStart(env.clock.now());
  const since = threshold_from !== null && threshold_from > day ? threshold_from : day;
  const { rows } = await sql<Spending>`
    select coalesce(sum(price) >= greatest(${threshold}::numeric, 0.0001), false) as reached,
           date_trunc('milliseconds', min(time_start) filter (where price > 0) + interval '999 microseconds') as oldest
    from cdrs_out where voice_out_trunk_id = ${trunkId} and time_start > ${since}
  `.execute(trx);
  return rows[0] ?? { reached: false, oldest: null };
}

async function change(
  trx: Kysely<Schema>,
  env: Environment,
  trunkId: string,
  columns: { status: 'active' | 'blocked'; threshold_reached: boolean },
): Promise<void> {
  const trunk = trx.updateTable('voice_out_trunks').set(columns).where('id', '=', trunkId).returningAll();
  await announceTrunk(trx, env, await trunk.executeTakeFirstOrThrow());
}

/** Reviews the trunk when the oldest charge leaves the window. */
async function scheduleReview(
  trx: Kysely<Schema>,
  env: Environment,
  trunkId: string,
  { oldest }: Spending,
): Promise<void> {
  const at = new Date((oldest ?? env.clock.now()).getTime() + thresholdWindowMs);
  await env.jobs.add(trx, reviewThresholdTask, { voice_out_trunk_id: trunkId }, { at, key: `threshold ${trunkId}` });
}

const thresholdWindowMs = 24 * 3_600_000;

/** Start of the window that counts against the threshold. */
export const windowStart = (now: Date): Date => new Date(now.getTime() - thresholdWindowMs);

/** SQL for the trunk with id `trunk`; `since` is the placeholder of the start of the window. */
export const spentSql = (trunk: string, since: string): string => `
  (select coalesce(sum(c.price), 0) from cdrs_out c where c.voice_out_trunk_id = ${trunk} and c.time_start > ${since})`;

type Trunk = Pick<
  Selectable<Schema['voice_out_trunks']>,
  'id' | 'account_id' | 'status' | 'threshold_reached' | 'callback_url' | 'sealed_signing_key'
>;

/**
 * Sends the trunk's callback after it was blocked or became active again. Always a JSON list: entries that accumulate
 * while the receiver fails are sent together.
 */
export async function announceTrunk(trx: Kysely<Schema>, env: Environment, trunk: Trunk): Promise<void> {
  if (trunk.callback_url === null) return;
  await scheduleCallback(trx, env, {
    accountId: trunk.account_id,
    kind: 'voice_out_trunks',
    resourceId: trunk.id,
    url: trunk.callback_url,
    method: 'json',
    payload: {
      id: trunk.id,
      type: 'voice_out_trunks',
      status: trunk.status,
      threshold_reached: trunk.threshold_reached,
      created_at: env.clock.now().toISOString(),
    },
    sealedSigningKey: trunk.sealed_signing_key,
    batch: `voice_out_trunks ${trunk.id} ${trunk.callback_url}`,
  });
}
