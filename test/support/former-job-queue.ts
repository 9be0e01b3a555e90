/**
 * The tables in which a library kept the jobs until migration 1001, as far as that reads them, and jobs in every state.
 */
import type pg from 'pg';

export async function makeFormerJobQueue(pool: pg.Pool): Promise<void> {
  await pool.query(`
    create schema graphile_worker;
    create table graphile_worker._private_tasks (id int generated always as identity primary key, identifier text not null);
    create table graphile_worker._private_jobs (
      id bigint generated always as identity (start with 40) primary key,
      task_id int not null references graphile_worker._private_tasks,
      payload json not null default '{}',
      priority smallint not null default 0,
      run_at timestamptz not null,
      created_at timestamptz not null default '2026-01-01',
      attempts smallint not null default 0,
      max_attempts smallint not null default 25,
      last_error text,
      key text unique,
      flags jsonb,
      locked_at timestamptz,
      locked_by text);
    create view graphile_worker.jobs as select * from graphile_worker._private_jobs;
    insert into graphile_worker._private_tasks (identifier) values ('orders.fulfil'), ('callbacks.send'), ('exports.make');
    insert into graphile_worker._private_jobs
      (task_id, payload, priority, run_at, attempts, max_attempts, last_error, key, flags, locked_at, locked_by) values
      (1, '{"order_id": "a"}', -30, '2026-01-02', 0, 25, null, 'k', null, null, null),
      (2, '{"n": 1}', -10, '2026-01-03', 2, 25, 'no luck', null, '{"account a": true, "receiver b": true}', null, null),
      (3, '{}', 0, '2026-01-04', 1, 25, null, null, null, '2026-01-04', 'pool-1'),
      (3, '{}', 0, '2026-01-05', 3, 3, 'gave up', null, null, null, null)`);
}

/** What the table of jobs holds then. */
export const formerJobs = [
  { id: 40, task: 'orders.fulfil', attempts: 0, key: 'k', lanes: [], is_available: true, last_error: null },
  {
    ...{ id: 41, task: 'callbacks.send', attempts: 2, key: null, lanes: ['account a', 'receiver b'] },
    ...{ is_available: true, last_error: 'no luck' },
  },
  // It was running.
  { id: 42, task: 'exports.make', attempts: 0, key: null, lanes: [], is_available: true, last_error: null },
  { id: 43, task: 'exports.make', attempts: 3, key: null, lanes: [], is_available: false, last_error: 'gave up' },
];
