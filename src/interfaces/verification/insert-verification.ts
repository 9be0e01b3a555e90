/**
 * Stores a new verification: pending, with cooldown slot and dispatch job in one statement; or denied, with neither.
 */
import { type Insertable, type Kysely, sql } from 'kysely';
import pg from 'pg';
import { grossOf, toSql } from '../../business/money/decimal.ts';
import type { Schema } from '../../engines/db/schema.ts';
import { list, runPrepared, type Statement, statement, words } from '../../engines/db/statement.ts';
import type { VerificationsTable } from '../../engines/db/tables/verification.ts';
import { addAndRun } from '../../engines/jobs/added-job.ts';
import type { TaskContext } from '../../engines/jobs/handler.ts';
import { priorityOf } from '../../engines/jobs/task.ts';
import type { OtpApplication } from './application.ts';
import { planConversion } from './conversion/guard-prefixes.ts';
import { sendCode } from './delivery/dispatch.ts';
import { dispatchTask, firstDispatch } from './delivery/dispatch-state.ts';
import type { VerificationEnvironment } from './environment.ts';
import { type DenialCode, VerificationError } from './errors.ts';
import { faultPoint } from './fault-points.ts';
import type { StartFields } from './fields.ts';
import { costOf, type Quote, quoteRow } from './prices.ts';
import type { ShownRow } from './responses.ts';
import { planRetention } from './retention.ts';
import type { VerificationSettings } from './settings.ts';
import { addingCounts, type StartCount, storeCounted, storedCounts } from './start-counts.ts';
import {
  asVerification,
  cooldownLeft,
  cooldownSeconds,
  pendingAt,
  staleDispatchSeconds,
  type VerificationRow,
} from './verification.ts';

export interface NewVerification {
  id: string;
  application: OtpApplication;
  fields: StartFields;
  language: string;
  quote: Quote;
  settings: VerificationSettings;
}

/** `counts` are counted by the same statement; a limit that is reached throws LimitReached and stores nothing. */
export async function insertPending(
  env: VerificationEnvironment,
  verification: NewVerification,
  counts: readonly StartCount[],
): Promise<ShownRow> {
  const now = env.clock.now();
  await planRetention(env, now, verification.settings.retentionHours);
  await planConversion(env, verification.settings, now);
  faultPoint('start.planned');
  const stored = columns(verification, now);
  // Who has the role of a worker sends the code itself: everything that is needed for that is here.
  return addAndRun(env, dispatchTask, async (takenBy) => {
    const dispatch = firstDispatch(stored, verification.application.senders);
    const result: ShownRow = { ...stored, status: 'pending', error_code: null, dispatched_at: null };
    const jobId = await storePending(env, verification, counts, now, takenBy);
    faultPoint('start.committed');
    const run = ({ signal }: TaskContext) => sendCode(env, dispatch, signal);
    const payload = { verification_id: stored.id };
    return { result, job: takenBy === null ? null : { id: jobId, payload, dueAt: now, run } };
  });
}

/** Returns the id of the job that sends the code. */
async function storePending(
  env: VerificationEnvironment,
  verification: NewVerification,
  counts: readonly StartCount[],
  now: Date,
  takenBy: string | null,
): Promise<string> {
  const taking = takingSlot(verification, counts, now, takenBy);
  const isFree = costOf(verification.quote) === 0n;
  const isCounted = counts.length > 0;
  const name = `verification_start${isFree ? '' : '_quoted'}${isCounted ? '_counted' : ''}`;
  const store = async (trx: Kysely<Schema> | null) =>
    trx === null ? runPrepared(env.pool, name, taking) : (await taking.toKysely().execute(trx)).rows;
  const started = isCounted ? storeCounted(env, counts, store) : store(null);
  const [row] = await started.catch(refuseOverspent);
  if (row === undefined) throw await refusal(env.db, verification, now);
  return row.job_id;
}

/** A denied record supersedes nothing and starts no cooldown, but is the newest of its number. */
export async function insertDenied(
  env: VerificationEnvironment,
  verification: NewVerification,
  code: DenialCode,
): Promise<VerificationRow> {
  const now = env.clock.now();
  await planRetention(env, now, verification.settings.retentionHours);
  return insert(env.db, { ...columns(verification, now), status: 'denied', error_code: code, final_at: now });
}

/**
 * One statement decides among parallel starts: the first one updates the number's slot if it is older than the
 * cooldown; the others wait for that transaction and then find the slot too new. An account without a balance gets no
 * slot. The slot names the record to supersede, which is ended before the new one and its dispatch job are inserted. If
 * the start may cost something, it is also counted against the balance; the statement of a free start contains nothing
 * about money.
 */
function takingSlot(
  verification: NewVerification,
  counts: readonly StartCount[],
  now: Date,
  takenBy: string | null,
): Statement<{ job_id: string }> {
  const { id, application, fields } = verification;
  const values = { ...columns(verification, now), status: 'pending', counted_in: storedCounts(counts) };
  const quoted = quotedBy(verification, now);
  return statement`
    with slot as (
      insert into verification_slots as s (application_id, destination, started_at, verification_id)
      select ${application.id}, ${fields.destination}, ${now}, ${id}
      from accounts where id = ${application.accountId} and balance + credit > 0
      on conflict (application_id, destination) do update
      set started_at = excluded.started_at, verification_id = excluded.verification_id, superseded_id = s.verification_id
      where s.started_at <= ${new Date(now.getTime() - cooldownSeconds * 1000)}
      returning superseded_id
    ), superseded as (
      update verifications set status = 'failed', error_code = 'superseded', final_at = ${now}
      from slot where verifications.id = slot.superseded_id and ${pendingAt(now)}
      returning verifications.id
    ), ${quoted} inserted as (
      insert into verifications (${words(Object.keys(values).join(', '))})
      select ${list(Object.values(values))}
      where exists (select from slot) ${quoted === nothing ? nothing : statement`and (select accepted from quoted)`}
      returning id, counted_in
    )${counts.length === 0 ? nothing : statement`, counted as (${addingCounts(words('inserted'))})`}
    select job::text as job_id from inserted
    cross join queue_job(
      ${dispatchTask.name}, json_build_object('verification_id', inserted.id), ${now},
      priority => ${priorityOf(dispatchTask)}, taken_by => ${takenBy}::text) as job`;
}

const nothing = words('');

/** Locks the account after the slot and the superseded record, as a report does after its record. */
function quotedBy(verification: NewVerification, now: Date): Statement {
  const { id, application, quote } = verification;
  if (costOf(quote) === 0n) return nothing;
  const row = quoteRow({ id, accountId: application.accountId, expiresAt: expiryOf(application, now) }, quote);
  const record = statement`jsonb_populate_record(null::verification_quotes, ${JSON.stringify(row)})`;
  return statement`quoted as (
      select quote_verification(${record}, ${now}, ${staleDispatchSeconds}, (select id from superseded)) as accepted
      from slot
    ),`;
}

/** What `quote_verification` (src/engines/db/functions/verification) throws. */
const overspentState = 'TL402';

function refuseOverspent(error: unknown): never {
  if (error instanceof pg.DatabaseError && error.code === overspentState)
    throw new VerificationError('balance_insufficient');
  throw error;
}

/** Why nothing was stored: the balance comes before the cooldown. */
async function refusal(
  db: Kysely<Schema>,
  { application, fields }: NewVerification,
  now: Date,
): Promise<VerificationError> {
  const { has_balance, started_at } = await db
    .selectFrom('accounts as a')
    .leftJoin('verification_slots as s', (join) =>
      join.on('s.application_id', '=', application.id).on('s.destination', '=', fields.destination),
    )
    .select([sql<boolean>`a.balance + a.credit > 0`.as('has_balance'), 's.started_at'])
    .where('a.id', '=', application.accountId)
    .executeTakeFirstOrThrow();
  if (!has_balance) return new VerificationError('balance_insufficient');
  const left = started_at === null ? 0 : cooldownLeft(started_at, now);
  return new VerificationError('destination_in_cooldown', Math.max(1, left));
}

function columns({ id, application, fields, language, quote }: NewVerification, now: Date) {
  const expiresAt = expiryOf(application, now);
  return {
    id,
    application_id: application.id,
    account_id: application.accountId,
    destination: fields.destination,
    delivery_method: fields.deliveryMethod,
    fee: toSql(grossOf(quote.fee)),
    language,
    app_hash: fields.appHash,
    code_length: application.codeLength,
    code_timeout: application.codeTimeout,
    created_at: now,
    expires_at: expiresAt,
    final_at: expiresAt,
  };
}

const expiryOf = (application: OtpApplication, now: Date): Date =>
  new Date(now.getTime() + application.codeTimeout * 1000);

async function insert(db: Kysely<Schema>, values: Insertable<VerificationsTable>): Promise<VerificationRow> {
  return asVerification(await db.insertInto('verifications').values(values).returningAll().executeTakeFirstOrThrow());
}
