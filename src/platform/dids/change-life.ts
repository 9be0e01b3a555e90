import type { Kysely } from 'kysely';
import { endOfPeriods } from '../../billing/calendar.ts';
import type { Schema } from '../../db/schema.ts';
import type { DidAction, DidMethod } from '../../db/tables/dids.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { PlatformContext } from '../context.ts';
import { requirePaid } from '../require-paid.ts';
import { chargeMonth } from './charge-month.ts';
import type { DidAttributes, DidChange } from './did-change.ts';
import { recordHistory } from './history.ts';
import { lookAgainAt } from './look-again.ts';
import { type OwnedDid, waitsForFirstRegistration } from './owned-did.ts';
import { refundNumber } from './refund-number.ts';
import { registrationDeadline } from './registration-deadline.ts';

/** Cancelling, restoring, and how often a number is still renewed. True when the number is about to leave its account. */
export async function changeLife(
  trx: Kysely<Schema>,
  context: PlatformContext,
  did: OwnedDid,
  attributes: Pick<DidAttributes, 'terminated' | 'billing_cycles_count'>,
  method: DidMethod,
): Promise<boolean> {
  const { terminated, billing_cycles_count: cycles } = attributes;
  const life = { trx, context, did, method };
  if (terminated === true && !did.terminated) return terminate(life);
  if (terminated === false && did.terminated) await restore(life, cycles ?? null);
  else if (cycles !== undefined && cycles !== did.billing_cycles_count) await changeCycles(life, cycles);
  return false;
}

async function changeCycles(life: Life, cycles: number | null): Promise<void> {
  const { did } = life;
  if (did.terminated) refuse(invalid.attribute('billing_cycles_count', messages.invalid));
  await write(life, { billing_cycles_count: cycles });
  await record(life, 'billing_cycles_count_changed', { from: written(did.billing_cycles_count), to: written(cycles) });
}

interface Life {
  trx: Kysely<Schema>;
  context: PlatformContext;
  did: OwnedDid;
  method: DidMethod;
}

/**
 * It stops at once. A number that waits for its registration is taken back at once too, with a refund, and so is one
 * whose order is still pending.
 */
async function terminate(life: Life): Promise<boolean> {
  const { trx, context, did } = life;
  const { env, now } = context;
  const leaves = waitsForFirstRegistration(did) || did.order_pending;
  await write(life, { terminated: true, billing_cycles_count: 0, due_at: leaves ? now : did.due_at });
  await record(life, 'canceled');
  if (leaves) await lookAgainAt(trx, env, now);
  // Now, and not when it leaves: by then the order may have been completed.
  if (did.order_pending) await refundNumber(trx, did, now);
  return leaves;
}

/** Free while paid time is left; after that a new period is charged, and nothing changes for who cannot pay it. */
async function restore(life: Life, cycles: number | null): Promise<void> {
  const { trx, context, did } = life;
  const { env, now } = context;
  if (did.given_back) refuse(invalid.attribute('terminated', messages.invalid));
  if (waitsForFirstRegistration(did)) {
    const due = await registrationDeadline(trx, did.account_id, did.activated_at ?? now);
    await write(life, { terminated: false, billing_cycles_count: cycles, due_at: due });
    return record(life, 'restored');
  }
  if (did.expires_at && did.expires_at > now) {
    await write(life, { terminated: false, billing_cycles_count: cycles });
    return record(life, 'restored');
  }
  const expiresAt = endOfPeriods(now, 1);
  await write(life, {
    terminated: false,
    billing_cycles_count: cycles,
    billed_since: now,
    periods: 1,
    expires_at: expiresAt,
    expired_at: null,
    due_at: expiresAt,
  });
  await record(life, 'restored');
  await lookAgainAt(trx, env, expiresAt);
  requirePaid(await chargeMonth(trx, did, 'restoration', { begins: now, ends: expiresAt }));
}

async function write({ trx, did }: Life, change: DidChange): Promise<void> {
  await trx.updateTable('dids').set(change).where('id', '=', did.id).execute();
}

function record({ trx, context, did, method }: Life, action: DidAction, values: { from?: string; to?: string } = {}) {
  const happening = { accountId: did.account_id, number: did.number, action, method, ...values };
  return recordHistory(trx, context.env, [happening], context.now);
}

/** An unset number appears as the word "empty" on the wire. */
const written = (cycles: number | null): string => (cycles === null ? 'empty' : String(cycles));
