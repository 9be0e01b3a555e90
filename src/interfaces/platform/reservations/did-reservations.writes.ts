/** Makes and deletes reservations, and counts how many more an account may make. */

import { sql } from 'kysely';
import { isUuid } from '../../../base/uuid.ts';
import { inTransaction, runIn } from '../../../engines/db/transaction.ts';
import { invalid, messages, refuse } from '../../../engines/jsonapi/errors.ts';
import type { AnswerNow } from '../../../engines/jsonapi/resource.ts';
import type { CreateInput } from '../../../engines/jsonapi/sent.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { fulfilWaitingTask } from '../orders/fulfil-orders.ts';
import { demoStockOf, restockIfLow } from '../orders/restock-demo.ts';
import type { reservationMembers } from './did-reservations.members.ts';
import { heldUntil, holdAtSupplier, letGoOfNumber } from './hold-at-supplier.ts';

type Input = CreateInput<typeof reservationMembers>;

/** Reserves an available number, if it is free and the account may reserve one more. */
export async function reserveNumber(context: PlatformContext, input: Input, answer: AnswerNow): Promise<string> {
  const { accountId, limits } = callerOf(context);
  const { id: availableDidId } = input.relationships.available_did;
  if (!isUuid(availableDidId)) refuse(notAvailable());
  const { env, now } = context;
  const wanted = new Date(now.getTime() + limits.reservation_seconds * 1000);
  // With an Idempotency-Key it was done before the transaction began (supplied-creates.ts).
  if (!context.db.isTransaction) await holdAtSupplier(context, availableDidId);
  return inTransaction(context.db, async (trx) => {
    // Serialises the reservations of one account, so that parallel requests cannot exceed the limit.
    await sql`select pg_advisory_xact_lock(hashtext('reservations'), hashtext(${accountId}))`.execute(trx);
    const { rows } = await sql<{ held: number }>`
      select count(*)::int as held from did_reservations where account_id = ${accountId} and expires_at > ${now}
    `.execute(trx);
    if ((rows[0]?.held ?? 0) >= limits.reservations) refuse(invalid.base('Reservations limit is reached'));
    const there = await heldUntil(trx, env, availableDidId);
    if (there === null) refuse(notAvailable());
    const expiresAt = there !== undefined && there < wanted ? there : wanted;
    // The unique index decides between parallel requests; an expired reservation is overwritten.
    const held = await sql<{ id: string; groupId: string; stock: number | null }>`
      insert into did_reservations as r
        (account_id, available_did_id, number, did_group_id, description, created_at, expires_at)
      select ${accountId}, a.id, a.number, a.did_group_id, ${input.attributes.description ?? null}, ${now}, ${expiresAt}
      from available_dids a join did_groups g on g.id = a.did_group_id
      where a.id = ${availableDidId} and g.available_dids_enabled
      for key share of a
      on conflict (available_did_id) do update
        set id = gen_random_uuid(), account_id = excluded.account_id, description = excluded.description,
            created_at = excluded.created_at, expires_at = excluded.expires_at
        where r.expires_at <= excluded.created_at
      returning id, did_group_id as "groupId", ${sql.raw(demoStockOf(env, 'r.did_group_id'))} as stock
    `.execute(trx);
    const { id, ...left } = held.rows[0] ?? refuse(notAvailable());
    await restockIfLow(trx, env, left);
    // Read inside the transaction, because another request may use up the reservation at once.
    await answer(id, runIn(trx));
    return id;
  });
}

const notAvailable = () => invalid.relationship('available_did', messages.invalid);

/** Deletes a reservation; the number is available again at once. */
export async function releaseNumber(context: PlatformContext, id: string): Promise<void> {
  const { env } = context;
  await inTransaction(env.db, async (trx) => {
    const released = await trx
      .deleteFrom('did_reservations')
      .where('id', '=', id)
      .where('account_id', '=', callerOf(context).accountId)
      .returning('number')
      .executeTakeFirst();
    if (released !== undefined) await letGoOfNumber(trx, env, released.number);
    // An order may be waiting for this number.
    await env.jobs.add(trx, fulfilWaitingTask, {});
  });
}

/** How many more reservations the account may make. */
export async function reservationsLeft(context: PlatformContext): Promise<number> {
  const { accountId, limits } = callerOf(context);
  const [row] = await context.query(
    'select count(*)::int as held from did_reservations where account_id = $1 and expires_at > $2',
    [accountId, context.now],
  );
  return Math.max(0, limits.reservations - Number(row?.held));
}
