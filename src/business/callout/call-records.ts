/** The records of spoken calls: one per attempt, written when it begins and completed when it ends. */
import { type Selectable, sql } from 'kysely';
import type { VerificationCallsTable } from '../../engines/db/tables/verification.ts';
import type { Environment } from '../../engines/environment.ts';
import type { CarrierTarget } from '../voice/carriers/find-routes.ts';
import { amountOf, chargeFor } from '../voice/rates.ts';

export interface CalledParty {
  verificationId: string;
  accountId: string;
  destination: string;
  /** The number that is shown; null to withhold it. */
  caller: string | null;
}

type CallOutcome = NonNullable<VerificationCallsTable['outcome']>;

/** How an attempt ended. */
export interface CallEnd {
  outcome: CallOutcome;
  code: number | null;
  reason: string;
  /** From the answer to the end; 0 if it was not answered. */
  seconds: number;
}

/** Returns the id of the record. */
export async function recordBegin(
  env: Environment,
  party: CalledParty,
  { carrier }: CarrierTarget,
  sipCallId: string,
): Promise<string> {
  const { id } = await env.db
    .insertInto('verification_calls')
    .values({
      ...columnsOf(party),
      carrier_id: carrier.id,
      carrier_name: carrier.name,
      sip_call_id: sipCallId,
      started_at: env.clock.now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function recordAnswer(env: Environment, id: string): Promise<void> {
  const answered_at = env.clock.now();
  await env.db.updateTable('verification_calls').set({ answered_at }).where('id', '=', id).execute();
}

export async function recordEnd(env: Environment, id: string, { cost }: CarrierTarget, end: CallEnd): Promise<void> {
  await env.db
    .updateTable('verification_calls')
    .set({
      ended_at: env.clock.now(),
      outcome: end.outcome,
      sip_code: end.code,
      reason: end.reason,
      cost: cost === null ? null : amountOf(chargeFor(cost, end.seconds, '0')),
    })
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .execute();
}

/**
 * Ends the records of a verification whose process was killed: nobody knows what the called party heard. Only the one
 * that runs the verification's job may call it, before it places a call of its own.
 */
export async function endLostCalls(env: Environment, verificationId: string): Promise<void> {
  // By account and time, because that is how the records are indexed.
  await sql`
    update verification_calls c set ended_at = ${env.clock.now()}, reason = 'the process that placed the call was killed'
    from verifications v
    where v.id = ${verificationId} and c.account_id = v.account_id and c.started_at >= v.created_at
      and c.verification_id = v.id and c.ended_at is null`.execute(env.db);
}

/** A call for which there was no way at all. */
export async function recordNotPlaced(env: Environment, party: CalledParty, reason: string): Promise<void> {
  const now = env.clock.now();
  await env.db
    .insertInto('verification_calls')
    .values({ ...columnsOf(party), started_at: now, ended_at: now, outcome: 'not_placed', reason })
    .execute();
}

const columnsOf = ({ verificationId, accountId, destination, caller }: CalledParty) => ({
  verification_id: verificationId,
  account_id: accountId,
  destination,
  caller,
});

/** The newest first. */
export function listCalls(env: Environment, limit: number): Promise<Selectable<VerificationCallsTable>[]> {
  return env.db
    .selectFrom('verification_calls')
    .selectAll()
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

interface CarrierTotal {
  carrier: string;
  attempts: number;
  spoken: number;
  /** Of the calls with a known cost. */
  cost: string;
  /** Fees of the verifications of its spoken calls that were verified, VAT included, as far as they are still kept. */
  fees: string;
}

/** By carrier, since a time. */
export async function sumCalls(env: Environment, since: Date): Promise<CarrierTotal[]> {
  const { rows } = await sql<CarrierTotal>`
    select coalesce(c.carrier_name, '-') as carrier, count(*)::int as attempts,
           count(*) filter (where c.outcome = 'spoken')::int as spoken,
           coalesce(sum(c.cost), 0)::numeric(20, 4)::text as cost,
           coalesce(sum(v.fee) filter (where c.outcome = 'spoken' and v.status = 'verified'), 0)::numeric(20, 4)::text as fees
    from verification_calls c left join verifications v on v.id = c.verification_id
    where c.started_at >= ${since}
    group by 1 order by 1
  `.execute(env.db);
  return rows;
}

const keptCallDays = 90;

export async function forgetCalls(env: Environment, now: Date): Promise<void> {
  const before = new Date(now.getTime() - keptCallDays * 86_400_000);
  await env.db.deleteFrom('verification_calls').where('started_at', '<', before).execute();
}
