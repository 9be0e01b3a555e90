/** Cancels or restores a number, or changes its number of renewals. */
import type { Kysely } from 'kysely';
import { endOfPeriods } from '../../../business/billing/calendar.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { DidAction, DidMethod } from '../../../engines/db/tables/dids.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import type { PlatformContext } from '../context.ts';
import { requirePaid } from '../refusals.ts';
import { chargeMonth, refundNumber } from './charges.ts';
import { recordHistory } from './did-history.ts';
import { registrationDeadline, scheduleDueCheck } from './due-dates.ts';
import { type DidChange, type OwnedDid, waitsForFirstRegistration, writeDid } from './owned-did.ts';

interface LifecycleAttributes {
  terminated: boolean | undefined;
  billing_cycles_count: number | null | undefined;
}

interface LifecycleChange {
  trx: Kysely<Schema>;
  context: PlatformContext;
  did: OwnedDid;
  method: DidMethod;
}

/** Returns true if the number is about to leave its account. */
export async function changeLifecycle(
  trx: Kysely<Schema>,
  context: PlatformContext,
  did: OwnedDid,
  attributes: LifecycleAttributes,
  method: DidMethod,
): Promise<boolean> {
  const { terminated, billing_cycles_count: cycles } = attributes;
  const change = { trx, context, did, method };
  if (terminated === true && !did.terminated) return terminate(change);
  if (terminated === false && did.terminated) await restore(change, cycles ?? null);
  else if (cycles !== undefined && cycles !== did.billing_cycles_count) await changeCycles(change, cycles);
  return false;
}

async function changeCycles(change: LifecycleChange, cycles: number | null): Promise<void> {
  const { did } = change;
  if (did.terminated) refuse(invalid.attribute('billing_cycles_count', messages.invalid));
  await write(change, { billing_cycles_count: cycles });
  await record(change, 'billing_cycles_count_changed', {
    from: formatCycles(did.billing_cycles_count),
    to: formatCycles(cycles),
  });
}

/**
 * Cancels the number at once. A number that waits for its registration, or whose order is pending, also leaves the
 * account at once, with a refund.
 */
async function terminate(change: LifecycleChange): Promise<boolean> {
  const { trx, context, did } = change;
  const { env, now } = context;
  const leaves = waitsForFirstRegistration(did) || did.order_pending;
  await write(change, { terminated: true, billing_cycles_count: 0, due_at: leaves ? now : did.due_at });
  await record(change, 'canceled');
  if (leaves) await scheduleDueCheck(trx, env, now);
  // Refund now and not when the number leaves: the order may be completed by then.
  if (did.order_pending) await refundNumber(trx, did, now);
  return leaves;
}

/**
 * Restores a number: free while the paid period lasts; after that a new period is charged, and nothing changes if it
 * cannot be paid.
 */
async function restore(change: LifecycleChange, cycles: number | null): Promise<void> {
  const { trx, context, did } = change;
  const { env, now } = context;
  if (did.given_back) refuse(invalid.attribute('terminated', messages.invalid));
  if (waitsForFirstRegistration(did)) {
    const due = await registrationDeadline(trx, did.account_id, did.activated_at ?? now);
    await write(change, { terminated: false, billing_cycles_count: cycles, due_at: due });
    return record(change, 'restored');
  }
  if (did.expires_at && did.expires_at > now) {
    await write(change, { terminated: false, billing_cycles_count: cycles });
    return record(change, 'restored');
  }
  const expiresAt = endOfPeriods(now, 1);
  await write(change, {
    terminated: false,
    billing_cycles_count: cycles,
    billed_since: now,
    periods: 1,
    expires_at: expiresAt,
    expired_at: null,
    due_at: expiresAt,
  });
  await record(change, 'restored');
  await scheduleDueCheck(trx, env, expiresAt);
  requirePaid(await chargeMonth(trx, did, 'restoration', { begins: now, ends: expiresAt }));
}

const write = ({ trx, did }: LifecycleChange, change: DidChange) => writeDid(trx, did.id, change);

function record(
  { trx, context, did, method }: LifecycleChange,
  action: DidAction,
  values: { from?: string; to?: string } = {},
) {
  const entry = { accountId: did.account_id, number: did.number, action, method, ...values };
  return recordHistory(trx, context.env, [entry], context.now);
}

/** A missing number is the word "empty" in the API. */
const formatCycles = (cycles: number | null): string => (cycles === null ? 'empty' : String(cycles));
