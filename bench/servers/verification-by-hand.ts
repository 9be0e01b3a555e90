/** The steps of a verification as SQL and nothing else: what the service is compared with. */
import { createHmac, randomInt, randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { OtpApplication } from '../../src/interfaces/verification/application.ts';

/**
 * One cycle as SQL and nothing else: what start, queue, dispatch, inbox and report write and read, one prepared
 * statement a step, each committed durably. Trunkline itself needs fewer: it takes and loads no job of its own start,
 * and verifies with the statement that finds. This stays the yardstick all the same. `task` is the client's own, so
 * that it takes its own job.
 */
export async function cycleByHand(
  pool: pg.Pool,
  application: OtpApplication,
  destination: string,
  task: string,
): Promise<void> {
  const id = randomUUID();
  const code = String(randomInt(1e6)).padStart(6, '0');
  await start(pool, application, destination, id, task);
  const [job] = await run<{ id: string }>(pool, 'take_job', takeJob, [task]);
  await dispatch(pool, destination, id, code);
  await run(pool, 'end_job', 'delete from jobs where id = $1', [job?.id]);
  const [message] = await run<{ code: string }>(pool, 'inbox', readInbox, [application.accountId, destination]);
  await report(pool, application, id, message?.code ?? '');
}

async function start(pool: pg.Pool, application: OtpApplication, destination: string, id: string, task: string) {
  const now = new Date();
  await run(pool, 'terms', readTerms, [application.id, destination, application.accountId]);
  const cooledDown = new Date(now.getTime() - 30_000);
  const expires = new Date(now.getTime() + 300_000);
  const values = [application.id, destination, now, id, cooledDown, application.accountId, expires, task];
  await run(pool, 'start', insertStarted, values);
}

async function dispatch(pool: pg.Pool, destination: string, id: string, code: string): Promise<void> {
  const now = new Date();
  await run(pool, 'load', loadDispatch, [id, now]);
  const text = `Your verification code is ${code}.`;
  await run(pool, 'dispatch', putIntoInbox, [id, hash(id, code), now, text, code, destination]);
}

async function report(pool: pg.Pool, application: OtpApplication, id: string, code: string): Promise<void> {
  const [row] = await run<{ application_id: string; code_hash: Buffer }>(pool, 'find', findVerification, [id]);
  if (row?.application_id !== application.id) throw new Error('it belongs to another application');
  if (!row.code_hash.equals(hash(id, code))) throw new Error('the codes differ');
  await run(pool, 'verify', markVerified, [id, new Date()]);
}

const hash = (id: string, code: string) => createHmac('sha256', 'by hand').update(`${id}:${code}`).digest();

async function run<Row extends pg.QueryResultRow>(pool: pg.Pool, name: string, text: string, values: unknown[]) {
  return (await pool.query<Row>({ name, text, values })).rows;
}

const readTerms = `
  select (a.balance + a.credit)::text, round(0 * (1 + a.vat_rate / 100), 4)::text, s.started_at from accounts a
  left join verification_slots s on s.application_id = $1 and s.destination = $2 where a.id = $3`;

const insertStarted = `
  with slot as (
    insert into verification_slots as s (application_id, destination, started_at, verification_id)
    values ($1, $2, $3, $4) on conflict (application_id, destination) do update
    set started_at = excluded.started_at, verification_id = excluded.verification_id, superseded_id = s.verification_id
    where s.started_at <= $5 returning superseded_id
  ), superseded as (
    update verifications set status = 'failed', error_code = 'superseded', final_at = $3
    from slot where verifications.id = slot.superseded_id and status = 'pending'
  ), inserted as (
    insert into verifications (id, application_id, account_id, destination, delivery_method, status, fee, language,
      code_length, code_timeout, created_at, expires_at, final_at)
    select $4, $1, $6, $2, 'sms', 'pending', 0, 'en-US', 6, 300, $3, $7, $7 where exists (select from slot)
    returning *
  )
  select inserted.* from inserted
  cross join queue_job($8, json_build_object('verification_id', inserted.id), $3)`;

/** The names of tasks keep clients from taking each other's. */
const takeJob = `
  with j as (
    select id from jobs where task = $1 and is_available and run_at <= now() order by run_at limit 1 for update skip locked
  )
  update jobs set attempts = jobs.attempts + 1, locked_by = 'by hand' from j where jobs.id = j.id returning jobs.*`;

const loadDispatch = `
  select v.*, a.senders, a.deleted_at from verifications v join otp_applications a on a.id = v.application_id
  where v.id = $1 and v.dispatched_at is null and v.status = 'pending' and v.expires_at > $2`;

const putIntoInbox = `
  with dispatched as (
    update verifications set code_hash = $2, dispatch_started_at = $3, dispatched_at = $3
    where id = $1 and dispatched_at is null and status = 'pending' and expires_at > $3
    returning id, account_id, delivery_method, language
  )
  insert into sandbox_messages (verification_id, account_id, destination, delivery_method, language, text, code, created_at)
  select id, account_id, $6, delivery_method, language, $4, $5, $3 from dispatched`;

const readInbox = `
  select * from sandbox_messages where account_id = $1 and destination = $2 order by id desc limit 100`;

/** By its id alone: with the application as a condition a table without statistics is read by the other index. */
const findVerification = 'select * from verifications where id = $1';

const markVerified = `
  update verifications set status = 'verified', final_at = $2
  where id = $1 and status = 'pending' and expires_at > $2 and dispatched_at is not null returning *`;
