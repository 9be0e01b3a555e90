import { createHmac, randomInt, randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { OtpApplication } from '../../src/verification/applications/application.ts';

/**
 * One cycle as SQL and nothing else, statement by statement in the same transactions: what start, the queue, dispatch, inbox
 * and report read and write. `task` is the client's own, so that it takes its own job.
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
  const job = await takeJob(pool, task);
  await dispatch(pool, application, destination, id, code);
  await pool.query('delete from graphile_worker._private_jobs where id = $1', [job]);
  const inbox = await pool.query<{ code: string }>(
    'select * from sandbox_messages where account_id = $1 and destination = $2 order by id desc limit 100',
    [application.accountId, destination],
  );
  await report(pool, application, id, inbox.rows[0]?.code ?? '');
}

async function start(
  pool: pg.Pool,
  application: OtpApplication,
  destination: string,
  id: string,
  task: string,
): Promise<void> {
  const now = new Date();
  await pool.query(
    `select (a.balance + a.credit)::text, a.vat_rate, s.started_at from accounts a
     left join verification_slots s on s.application_id = $1 and s.destination = $2 where a.id = $3`,
    [application.id, destination, application.accountId],
  );
  await inTransaction(pool, async (client) => {
    await client.query(
      `insert into verification_slots as s (application_id, destination, started_at, verification_id)
       values ($1, $2, $3, $4) on conflict (application_id, destination) do update
       set started_at = excluded.started_at, verification_id = excluded.verification_id, superseded_id = s.verification_id
       where s.started_at <= $5 returning superseded_id`,
      [application.id, destination, now, id, new Date(now.getTime() - 30_000)],
    );
    await client.query(
      `insert into verifications (id, application_id, account_id, destination, delivery_method, status, fee, language,
         code_length, code_timeout, created_at, expires_at, final_at)
       values ($1, $2, $3, $4, 'sms', 'pending', 0, 'en-US', 6, 300, $5, $6, $6) returning *`,
      [id, application.id, application.accountId, destination, now, new Date(now.getTime() + 300_000)],
    );
    await client.query('select 1 from graphile_worker.add_job($1::text, $2::json)', [task, JSON.stringify({ id })]);
  });
}

/** As the queue's own worker takes a job; the names of tasks keep clients from taking each other's. */
async function takeJob(pool: pg.Pool, task: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `with j as (
       select jobs.id, jobs.job_queue_id from graphile_worker._private_jobs jobs
       where jobs.is_available = true and jobs.run_at <= now()
         and jobs.task_id = any(array(select t.id from graphile_worker._private_tasks t where t.identifier = $1))
         and (jobs.job_queue_id is null or jobs.job_queue_id in (
           select q.id from graphile_worker._private_job_queues q where q.is_available = true for update skip locked))
       order by jobs.priority, jobs.run_at limit 1 for update skip locked
     ), q as (
       update graphile_worker._private_job_queues queues set locked_by = 'by hand', locked_at = now()
       from j where queues.id = j.job_queue_id
     )
     update graphile_worker._private_jobs jobs set attempts = jobs.attempts + 1, locked_by = 'by hand', locked_at = now()
     from j where jobs.id = j.id returning jobs.*`,
    [task],
  );
  return rows[0]?.id ?? '';
}

async function dispatch(
  pool: pg.Pool,
  application: OtpApplication,
  destination: string,
  id: string,
  code: string,
): Promise<void> {
  const now = new Date();
  await inTransaction(pool, async (client) => {
    await client.query(
      `select v.*, a.senders, a.deleted_at from verifications v join otp_applications a on a.id = v.application_id
       where v.id = $1 and v.status = 'pending' and v.dispatched_at is null for update of v`,
      [id],
    );
    await client.query(
      `insert into sandbox_messages (verification_id, account_id, destination, delivery_method, language, text, code, created_at)
       values ($1, $2, $3, 'sms', 'en-US', $4, $5, $6)`,
      [id, application.accountId, destination, `Your verification code is ${code}.`, code, now],
    );
    await client.query(
      'update verifications set code_hash = $2, dispatch_started_at = $3, dispatched_at = $3 where id = $1',
      [id, hash(id, code), now],
    );
  });
}

async function report(pool: pg.Pool, application: OtpApplication, id: string, code: string): Promise<void> {
  const { rows } = await pool.query<{ code_hash: Buffer }>(
    'select * from verifications where id = $1 and application_id = $2',
    [id, application.id],
  );
  if (!rows[0]?.code_hash.equals(hash(id, code))) throw new Error('the codes differ');
  await inTransaction(pool, async (client) => {
    const now = new Date();
    await client.query(
      `update verifications set status = 'verified', final_at = $2
       where id = $1 and status = 'pending' and expires_at > $2 returning *`,
      [id, now],
    );
  });
}

const hash = (id: string, code: string) => createHmac('sha256', 'by hand').update(`${id}:${code}`).digest();

async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } finally {
    client.release();
  }
}
