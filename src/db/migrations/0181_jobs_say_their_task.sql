-- As before (migration 0100), and the notification names the task, so that only the workers that run it look for it.
create or replace function queue_job(
  task text, payload json, now timestamptz, due timestamptz default null, attempts int default null,
  priority int default 0)
returns void language plpgsql as $$
begin
  insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, priority)
  select id, queue_job.payload, coalesce(due, least(queue_job.now, environment_time.now())), coalesce(attempts, 25),
         queue_job.priority
  from graphile_worker._private_tasks where identifier = task;
  if not found then
    perform graphile_worker.add_job(
      task, queue_job.payload, run_at => coalesce(due, least(queue_job.now, environment_time.now())),
      max_attempts => attempts, priority => queue_job.priority);
  elsif due is null or due <= queue_job.now then
    perform pg_notify('jobs:insert', '{"r":' || random() || ',"count":1,"task":"' || task || '"}');
  end if;
end $$;
