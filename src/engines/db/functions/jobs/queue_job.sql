-- Adds a job in the caller's transaction and returns its id. `due` null means due now: by the caller's clock or the
-- database's, whichever is behind, since workers compare with the latter and the job would otherwise wait for the next
-- poll. A job that has not begun is replaced by another with its key; one that has begun, or given up, loses the key
-- and is not tried again. A job that the calling process runs itself is added as locked by it (`taken_by`). Otherwise
-- the workers that run the task are woken, unless it is due later.
create or replace function queue_job(
  task text, payload json, now timestamptz, due timestamptz default null, attempts int default null,
  priority int default 0, taken_by text default null, key text default null, lanes text[] default null)
returns bigint language plpgsql as $$
#variable_conflict use_column
declare
  job_id bigint;
begin
  loop
    insert into jobs as j (task, payload, priority, run_at, created_at, max_attempts, attempts, key, lanes, locked_by)
    values (queue_job.task, queue_job.payload, queue_job.priority,
            coalesce(queue_job.due, least(queue_job.now, environment_time.now())), queue_job.now,
            coalesce(queue_job.attempts, 25), case when queue_job.taken_by is null then 0 else 1 end, queue_job.key,
            coalesce(queue_job.lanes, '{}'), queue_job.taken_by)
    on conflict (key) where key is not null do update
      set task = excluded.task, payload = excluded.payload, priority = excluded.priority, run_at = excluded.run_at,
          max_attempts = excluded.max_attempts, attempts = excluded.attempts, last_error = null, lanes = excluded.lanes,
          locked_by = excluded.locked_by
      where j.is_available
    returning id into job_id;
    exit when job_id is not null;
    update jobs set key = null, attempts = max_attempts where key = queue_job.key and not is_available;
  end loop;
  if queue_job.taken_by is null and (queue_job.due is null or queue_job.due <= queue_job.now) then
    perform pg_notify('jobs', queue_job.task);
  end if;
  return job_id;
end $$;
