import { type Kysely, sql } from 'kysely';
import { endOfPeriods } from '../../billing/calendar.ts';
import type { Schema } from '../../db/schema.ts';
import type { Environment } from '../../environment.ts';
import { recordHistory } from './history.ts';
import { lookAgainAt } from './look-again.ts';
import { registrationDeadlineOf } from './registration-deadline.ts';

/** Hands the numbers that an order has set aside over to their account. */
export async function activateNumbers(
  trx: Kysely<Schema>,
  env: Environment,
  order: { id: string; account_id: string },
  now: Date,
): Promise<void> {
  const expiresAt = endOfPeriods(now, 1);
  const { rows } = await sql<{ number: string; due_at: Date }>`
    update dids d set activated_at = ${now}, awaiting_registration = g.needs_registration,
      billed_since = case when g.needs_registration then null else ${now}::timestamptz end,
      periods = case when g.needs_registration then 0 else 1 end,
      expires_at = case when g.needs_registration then null else ${expiresAt}::timestamptz end,
      due_at = case when g.needs_registration then ${registrationDeadlineOf(sql`d.account_id`, now)}
                    else ${expiresAt}::timestamptz end
    from did_groups g
    where d.order_id = ${order.id} and d.activated_at is null and g.id = d.did_group_id
    returning d.number, d.due_at
  `.execute(trx);
  const happenings = rows.map(({ number }) => ({
    accountId: order.account_id,
    number,
    action: 'assigned' as const,
    method: 'api3' as const,
  }));
  await recordHistory(trx, env, happenings, now);
  for (const due of new Set(rows.map(({ due_at }) => due_at.getTime()))) await lookAgainAt(trx, env, new Date(due));
}
