/** Gives an account numbers in any state, as if they had been bought before. Nothing is charged for them. */
import type { Insertable } from 'kysely';
import { FieldError } from '../../base/fields.ts';
import { dayMs, endOfPeriods } from '../../business/billing/calendar.ts';
import { insertOrder, noCallback } from '../../business/billing/insert-order.ts';
import { free } from '../../business/money/decimal.ts';
import type { DidsTable } from '../../engines/db/tables/dids.ts';
import type { Environment } from '../../engines/environment.ts';
import { recordHistory } from '../platform/dids/did-history.ts';
import { registrationDeadline, scheduleDueCheck } from '../platform/dids/due-dates.ts';
import { agingDays } from '../platform/dids/settle-due-numbers.ts';
import type { SeedIds } from './seed-id.ts';
import type { SeedStock } from './seed-stock.ts';
import { momentOf, type OwnedNumberSeed, pastMoment } from './seeds.ts';

/** `env.db` is the transaction of the whole seed. Returns the number, also if the account has it already. */
export async function seedOwnedNumber(
  env: Environment,
  stock: SeedStock,
  ids: SeedIds,
  accountId: string,
  seed: OwnedNumberSeed,
  made: () => void,
): Promise<{ id: string; number: string }> {
  const orderId = ids.of('number', seed);
  const known = await env.db
    .selectFrom('dids')
    .select(['id', 'number', 'account_id'])
    .where((where) => where.or([where('order_id', '=', orderId), where('number', '=', seed.number)]))
    .executeTakeFirst();
  if (known?.account_id === accountId) return { id: known.id, number: known.number };
  if (known !== undefined) throw new FieldError('belongs to another account', { path: 'number' });

  made();
  const { group, number, nanpaPrefixId } = await stock.take(seed);
  const now = env.clock.now();
  const boughtAt = seed.bought_at === null ? now : pastMoment('bought_at', seed.bought_at, now);
  if (boughtAt > now) throw new FieldError('must not be in the future', { path: 'bought_at' });
  if (seed.state === 'awaiting_registration' && !group.needsRegistration) {
    throw new FieldError('is not possible: the group of this number needs no registration', { path: 'state' });
  }
  const item = { type: 'did_order_items', qty: 1, setup: free('0'), monthly: free('0') } as const;
  const order = { id: orderId, account_id: accountId, kind: 'did', description: 'DID', status: 'completed' } as const;
  await insertOrder(env.db, { ...order, ...noCallback, created_at: boughtAt }, [
    { ...item, billed_from: null, billed_to: null, did_group_id: group.id, sku_id: group.skuId },
  ]);
  const state = await columnsOf(env, accountId, seed, boughtAt, now);
  const { id } = await env.db
    .insertInto('dids')
    .values({
      account_id: accountId,
      number,
      did_group_id: group.id,
      nanpa_prefix_id: nanpaPrefixId,
      sku_id: group.skuId,
      order_id: orderId,
      order_position: 0,
      channels_included_count: group.channels,
      description: seed.description,
      billing_cycles_count: seed.billing_cycles_count,
      created_at: boughtAt,
      activated_at: boughtAt,
      ...state,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await recordHistory(env.db, env, [{ accountId, number, action: 'assigned', method: 'api3' }], boughtAt);
  if (state.due_at) await scheduleDueCheck(env.db, env, state.due_at);
  return { id, number };
}

type StateColumns = Partial<Insertable<DidsTable>> & { due_at: Date };

async function columnsOf(
  env: Environment,
  accountId: string,
  { state, expires_at }: OwnedNumberSeed,
  boughtAt: Date,
  now: Date,
): Promise<StateColumns> {
  if (state === 'awaiting_registration') {
    const due_at = await registrationDeadline(env.db, accountId, boughtAt);
    return { awaiting_registration: true, due_at };
  }
  const end = expires_at === null ? usualEnd(state === 'expired', boughtAt, now) : momentOf(expires_at, now);
  if (state === 'expired' && end > now)
    throw new FieldError('of an expired number must be past', { path: 'expires_at' });
  // The last period is the only one that counts: earlier ones would need the orders that paid for them.
  const paid = { billed_since: endOfPeriods(end, -1), periods: 1, expires_at: end };
  switch (state) {
    case 'active':
      return { ...paid, due_at: end };
    case 'blocked':
      return { ...paid, due_at: end, blocked_by_staff: true };
    case 'canceled':
      return { ...paid, due_at: end, terminated: true };
    case 'expired': {
      const due_at = new Date(end.getTime() + agingDays * dayMs);
      return { ...paid, due_at, terminated: true, billing_cycles_count: 0, expired_at: end };
    }
  }
}

/** The end of the period that runs now, counted from the purchase; of an expired number yesterday at the latest. */
function usualEnd(isExpired: boolean, boughtAt: Date, now: Date): Date {
  if (isExpired) return new Date(now.getTime() - dayMs);
  let periods = 1;
  while (endOfPeriods(boughtAt, periods) <= now) periods += 1;
  return endOfPeriods(boughtAt, periods);
}
