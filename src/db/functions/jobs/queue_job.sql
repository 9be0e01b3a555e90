-- Adds a job without key and queue, at a quarter of the cost of the queue's own add_job. One worker is woken, of those that run the
-- task, and none for a job that is due later; the random number keeps PostgreSQL from merging the notifications of two jobs of a
-- transaction. `due` null means due now: by the caller's clock or the database's, whichever is behind, since the queue compares
-- with the latter and the job would otherwise wait for the next poll. A job that the calling process runs itself is added as
-- locked by it (`taken_by`): no notification, no search, and its id is returned.
create or replace function queue_job(
  task text, payload json, now timestamptz, due timestamptz default null, attempts int default null,
  priority int default 0, taken_by text default null)
returns bigint language plpgsql as $$
declare
  job_id bigint;
begin
  insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, priority, attempts, locked_by, locked_at)
  select id, queue_job.payload, coalesce(due, least(queue_job.now, environment_time.now())),
         coalesce(queue_job.attempts, 25), queue_job.priority, case when taken_by is null then 0 else 1 end, taken_by,
         case when taken_by is null then null else environment_time.now() end
  from graphile_worker._private_tasks where identifier = task
  returning id into job_id;
  if job_id is null then
    perform graphile_worker.add_job(
      task, queue_job.payload, run_at => coalesce(due, least(queue_job.now, environment_time.now())),
      max_attempts => queue_job.attempts, priority => queue_job.priority);
  elsif taken_by is null and (due is null or due <= queue_job.now) then
    perform pg_notify('jobs:insert', '{"r":' || random() || ',"count":1,"task":"' || task || '"}');
  end if;
  return job_id;
end $$;
