/** Settles due numbers: renewal, expiry, end of aging, or end of the wait for a registration. */
import { type Kysely, sql } from 'kysely';
import { dayMs, endOfPeriods } from '../../../business/billing/calendar.ts';
import { areRenewalsHeld } from '../../../business/billing/charge-period.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import { isHeldUp } from '../../../engines/db/unavailable.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { LaneFull } from '../../../engines/jobs/lanes.ts';
import { jobActor } from '../../../engines/jobs/task.ts';
import { attemptEach, throwIfUnsettled, type Unsettled } from '../attempt-each.ts';
import { chargeMonth, refundNumber } from './charges.ts';
import { methodOf, recordHistory } from './did-history.ts';
import { registrationDeadline, scheduleDueCheck, settleDueTask } from './due-dates.ts';
import { returnToStock } from './move-numbers.ts';
import { findDid, type OwnedDid, waitsForFirstRegistration, writeDid } from './owned-did.ts';

/** Days in which an expired number can be restored before it returns to stock. */
export const agingDays = 34;

/** What is done here is done by the job. */
const method = methodOf(jobActor(settleDueTask));

/** One run at a time in a process: each looks at all due numbers, and several would wait for each other's rows. */
const lane = 'due numbers';

/** Settles every due number, a hundred at a time; one that fails does not stop the others. */
export const settleDueNumbers = handle(settleDueTask, async (_payload, context: TaskContext<Environment>) => {
  const leave = context.env.jobs.lanes.tryEnter(lane, 1);
  if (leave === null) throw new LaneFull(lane);
  try {
    throwIfUnsettled(await settleAll(context), 'numbers that are due');
  } finally {
    leave();
  }
});

async function settleAll({ env, stopping }: TaskContext<Environment>): Promise<Unsettled> {
  const all: Unsettled = { failed: [], heldUp: [] };
  const heldAccounts = new Map<string, unknown>();
  for (;;) {
    const now = env.clock.now();
    const due = await dueNumbers(env, now, { failed: all.failed, heldAccounts: [...heldAccounts.keys()] });
    if (due.size === 0) return all;
    const { failed, heldUp } = await attemptEach([...due.keys()], { log: env.log, stopping }, async (id) => {
      const account = due.get(id) ?? '';
      // The others of the account would wait as long for the same row.
      if (heldAccounts.has(account)) throw heldAccounts.get(account);
      try {
        await settleDueNumber(env, id, now);
      } catch (error) {
        if (isHeldUp(error)) heldAccounts.set(account, error);
        throw error;
      }
    });
    all.failed.push(...failed);
    all.heldUp.push(...heldUp);
  }
}

/** The next hundred numbers and their accounts. */
async function dueNumbers(
  env: Environment,
  now: Date,
  without: { failed: string[]; heldAccounts: string[] },
): Promise<Map<string, string>> {
  const due = await env.db
    .selectFrom('dids')
    .select(['id', 'account_id'])
    .where('due_at', '<=', now)
    .where(sql<boolean>`id <> all(${without.failed}::uuid[])`)
    .where(sql<boolean>`account_id <> all(${without.heldAccounts}::uuid[])`)
    .orderBy('due_at')
    .orderBy('number')
    .limit(100)
    .execute();
  return new Map(due.map(({ id, account_id }) => [id, account_id]));
}

function settleDueNumber(env: Environment, id: string, now: Date): Promise<void> {
  return inTransaction(env.db, async (trx) => {
    const did = await findDid(trx, id);
    if (!did?.due_at || did.due_at > now) return;
    if (did.given_back) return returnToStock(trx, env, { where: sql`d.id = ${id}`, method, now });
    if (waitsForFirstRegistration(did)) {
      const reviewed = !did.terminated && (await isUnderReview(trx, id));
      return reviewed ? waitLonger(trx, env, did, now) : takeBack(trx, env, did, now);
    }
    if (did.expired_at) return returnToStock(trx, env, { where: sql`d.id = ${id}`, method, now });
    if (did.terminated || did.billing_cycles_count === 0) return expire(trx, env, did);
    if (await areRenewalsHeld(trx, did.account_id)) return renewLater(trx, env, did, now);
    return renew(trx, env, did);
  });
}

/** A submitted registration is not cut off by the time that the review takes. */
async function isUnderReview(trx: Kysely<Schema>, id: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from address_verification_dids l join address_verifications v on v.id = l.address_verification_id
    where l.did_id = ${id} and v.status = 'pending' limit 1
  `.execute(trx);
  return rows.length > 0;
}

async function waitLonger(trx: Kysely<Schema>, env: Environment, did: OwnedDid, now: Date): Promise<void> {
  const due = await registrationDeadline(trx, did.account_id, now);
  await writeDid(trx, did.id, { due_at: due });
  await scheduleDueCheck(trx, env, due);
}

/** Refunds the number in full, because it was never usable, and returns it to stock. */
async function takeBack(trx: Kysely<Schema>, env: Environment, did: OwnedDid, now: Date): Promise<void> {
  await returnToStock(trx, env, { where: sql`d.id = ${did.id}`, method, now });
  await refundNumber(trx, did, now);
}

/** Blocks the number, whose paid period has ended, and keeps it for the account during aging. */
async function expire(trx: Kysely<Schema>, env: Environment, did: OwnedDid): Promise<void> {
  const expiredAt = expiryOf(did);
  const due = new Date(expiredAt.getTime() + agingDays * dayMs);
  await writeDid(trx, did.id, { terminated: true, billing_cycles_count: 0, expired_at: expiredAt, due_at: due });
  const { account_id: accountId, number } = did;
  if (!did.terminated) {
    await recordHistory(trx, env, [{ accountId, number, action: 'canceled', method }], expiredAt);
  }
  await scheduleDueCheck(trx, env, due);
}

/** Neither renewed nor expired while the account's renewals are held. */
async function renewLater(trx: Kysely<Schema>, env: Environment, did: OwnedDid, now: Date): Promise<void> {
  const due = new Date(now.getTime() + dayMs);
  await trx.updateTable('dids').set({ due_at: due }).where('id', '=', did.id).execute();
  await scheduleDueCheck(trx, env, due);
}

/** Makes numbers due whose renewal was held. Called in the transaction that resumes their account. */
export async function renewHeldNumbers(trx: Kysely<Schema>, env: Environment, accountId: string): Promise<void> {
  const now = env.clock.now();
  await trx
    .updateTable('dids')
    .set({ due_at: now })
    .where('account_id', '=', accountId)
    .where('expires_at', '<=', now)
    .where('expired_at', 'is', null)
    .where('due_at', '>', now)
    .execute();
  await scheduleDueCheck(trx, env, now);
}

/** Charges one more month if the customer can pay. The start of the period prevents charging it twice. */
async function renew(trx: Kysely<Schema>, env: Environment, did: OwnedDid): Promise<void> {
  if (await env.faults?.take(['renewal.failed'], did.account_id, trx)) return expire(trx, env, did);
  const begins = expiryOf(did);
  const periods = did.periods + 1;
  const expiresAt = endOfPeriods(did.billed_since ?? begins, periods);
  const paid = await chargeMonth(trx, did, 'renewal', { begins, ends: expiresAt });
  if (!paid.ok) return expire(trx, env, did);
  const cycles = did.billing_cycles_count === null ? null : did.billing_cycles_count - 1;
  await writeDid(trx, did.id, { periods, expires_at: expiresAt, due_at: expiresAt, billing_cycles_count: cycles });
  const { account_id: accountId, number } = did;
  await recordHistory(trx, env, [{ accountId, number, action: 'renewed', method }], begins);
  await scheduleDueCheck(trx, env, expiresAt);
}

function expiryOf(did: OwnedDid): Date {
  if (!did.expires_at) throw new Error(`number ${did.number} is due without an end of its period`);
  return did.expires_at;
}
