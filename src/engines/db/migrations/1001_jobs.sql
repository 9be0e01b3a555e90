-- The queue of jobs: one row for each piece of work that waits, runs or has given up. A job that is done is deleted.
create table jobs (
  id bigint generated always as identity primary key,
  task text not null,
  payload json not null default '{}',
  -- The lowest first (src/engines/jobs/task.ts).
  priority smallint not null default 0,
  -- By the environment's clock.
  run_at timestamptz not null,
  created_at timestamptz not null,
  attempts smallint not null default 0,
  max_attempts smallint not null default 25 check (max_attempts > 0),
  last_error text,
  -- One job that has not begun per key.
  key text,
  -- Whom it waits for; a process runs only so many jobs of a lane at once.
  lanes text[] not null default '{}',
  -- The worker that runs it. A worker holds an advisory lock as long as it lives (src/engines/jobs/liveness.ts).
  locked_by text,
  is_available boolean not null generated always as (locked_by is null and attempts < max_attempts) stored
);
create unique index jobs_key on jobs (key) where key is not null;
-- Workers look for what is due task by task, so that neither jobs of later nor those of other workers are read on the
-- way.
create index jobs_available on jobs (task, run_at) where is_available;
create index jobs_locked on jobs (locked_by) where locked_by is not null;

-- Until now a library kept the jobs, in a schema of its own. What was running is run again, so nobody may still be
-- running it.
do $$
begin
  if to_regclass('graphile_worker._private_jobs') is not null then
    if exists (select from pg_stat_activity where datname = current_database() and application_name = 'trunkline jobs') then
      raise exception 'A Trunkline of a version before still works on this database: stop it, then start this one.'
        using errcode = 'TL001';
    end if;
    lock table graphile_worker._private_jobs in access exclusive mode;
    insert into jobs (id, task, payload, priority, run_at, created_at, attempts, max_attempts, last_error, key, lanes)
      overriding system value
    select j.id, t.identifier, j.payload, j.priority, j.run_at, j.created_at,
           case when j.locked_at is null then j.attempts else greatest(j.attempts - 1, 0) end, j.max_attempts, j.last_error,
           j.key, array(select jsonb_object_keys(j.flags))
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id;
    perform setval(pg_get_serial_sequence('jobs', 'id'), max(id)) from jobs having max(id) is not null;
    drop schema graphile_worker cascade;
  end if;
end $$;
