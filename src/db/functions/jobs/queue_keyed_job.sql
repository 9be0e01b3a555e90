-- A job without payload that exists once per key. Whoever comes second with a key adds nothing, unless the job has begun: then
-- it may have looked already, and the queue's own function adds another. Workers are told only of jobs that are due.
create or replace function queue_keyed_job(task text, job_key text, now timestamptz, due timestamptz, priority int)
returns void language plpgsql as $$
begin
  insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, priority, key)
  select id, '{}', due, 25, queue_keyed_job.priority, job_key from graphile_worker._private_tasks where identifier = task
  on conflict (key) do nothing;
  if found and due > queue_keyed_job.now then
    return;
  end if;
  if not found and exists (
    select from graphile_worker._private_jobs j where j.key = job_key and j.locked_at is null and j.attempts = 0
  ) then
    return;
  end if;
  perform graphile_worker.add_job(
    task, '{}'::json, run_at => due, job_key => queue_keyed_job.job_key, priority => queue_keyed_job.priority);
end $$;
