-- A job without payload that exists once per key. Whoever comes second with a key adds nothing, unless the job has
-- begun: then it may have looked already, and another is added.
create or replace function queue_keyed_job(task text, job_key text, now timestamptz, due timestamptz, priority int)
returns void language plpgsql as $$
begin
  insert into jobs (task, priority, run_at, created_at, key)
  values (queue_keyed_job.task, queue_keyed_job.priority, due, queue_keyed_job.now, job_key)
  on conflict (key) where key is not null do nothing;
  if found then
    if due <= queue_keyed_job.now then
      perform pg_notify('jobs', queue_keyed_job.task);
    end if;
  elsif not exists (select from jobs j where j.key = job_key and j.is_available and j.attempts = 0) then
    perform queue_job(queue_keyed_job.task, '{}', queue_keyed_job.now, due, priority => queue_keyed_job.priority, key => job_key);
  end if;
end $$;
