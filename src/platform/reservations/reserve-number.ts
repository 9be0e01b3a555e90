import { sql } from 'kysely';
import { inTransaction, runIn } from '../../db/transaction.ts';
import { couldBeId } from '../../jsonapi/declare.ts';
import { invalid, messages, refuse } from '../../jsonapi/errors.ts';
import type { Linkage } from '../../jsonapi/linkage.ts';
import type { AnswerNow, WriteInput } from '../../jsonapi/resource.ts';
import { callerOf, type PlatformContext } from '../context.ts';

type Input = WriteInput<{ description?: string | null }, { available_did: Linkage }>;

/** Holds an available number for the caller, if it is free and the caller may hold one more. */
export async function reserveNumber(context: PlatformContext, input: Input, answer: AnswerNow): Promise<string> {
  const { accountId, limits } = callerOf(context);
  const { id: availableDidId } = input.relationships.available_did;
  if (!couldBeId(availableDidId)) refuse(notAvailable());
  const { env, now } = context;
  const expiresAt = new Date(now.getTime() + limits.reservation_seconds * 1000);
  return inTransaction(env.db, async (trx) => {
    // Holds of one account are taken one after another, so that the allowance cannot be exceeded side by side.
    await sql`select pg_advisory_xact_lock(hashtext('reservations'), hashtext(${accountId}))`.execute(trx);
    const { rows } = await sql<{ held: number }>`
      select count(*)::int as held from did_reservations where account_id = ${accountId} and expires_at > ${now}
    `.execute(trx);
    if ((rows[0]?.held ?? 0) >= limits.reservations) refuse(invalid.base('Reservations limit is reached'));
    // The unique index on the number decides between two at once; a hold whose time has passed is simply taken over.
    const held = await sql<{ id: string }>`
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
      returning id
    `.execute(trx);
    const id = held.rows[0]?.id ?? refuse(notAvailable());
    // Another request of the same account may buy the number, and end the hold, the next moment.
    await answer(id, runIn(trx));
    return id;
  });
}

const notAvailable = () => invalid.relationship('available_did', messages.invalid);
