-- Job names have one form, room.verb, and jobs a priority: the lowest number first (src/jobs/task.ts).

-- Jobs that wait under an old name keep waiting under the new one. A fresh database has no queue yet at this point.
do $$
declare
  renamed record;
begin
  if to_regclass('graphile_worker._private_tasks') is null then return; end if;
  for renamed in select * from (values
    ('orders.stock_arrived', 'orders.fulfil_waiting'),
    ('dids.due', 'dids.settle_due'),
    ('emergency.cancel-empty', 'emergency.cancel_empty'),
    ('regulation.auto-decide', 'regulation.auto_decide'),
    ('regulation.expire-file', 'regulation.expire_file'),
    ('regulation.forget-upload', 'regulation.forget_upload')) as names (former, current)
  loop
    update graphile_worker._private_tasks set identifier = renamed.current where identifier = renamed.former;
  end loop;
end $$;

-- As before (migration 0003), with a priority.
drop function queue_job(text, json, timestamptz, timestamptz, int);
create function queue_job(
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
    perform pg_notify('jobs:insert', '{"r":' || random() || ',"count":1}');
  end if;
end $$;

-- As before (migration 0012), under the job's new name and with the priority of orders.
create or replace function available_dids_arrived() returns trigger language plpgsql as $$
begin
  perform graphile_worker.add_job(
    'orders.fulfil_waiting', json_build_object(), run_at => environment_time.now(), priority => -30);
  return null;
end $$;

-- As before (migration 0042), under the job's new name.
create or replace function dids_left_emergency_service() returns trigger language plpgsql as $$
begin
  perform graphile_worker.add_job('emergency.cancel_empty',
    json_build_object('emergency_calling_service_id', old.emergency_calling_service_id),
    run_at => environment_time.now() + interval '1 hour',
    job_key => 'emergency.cancel_empty:' || old.emergency_calling_service_id);
  return null;
end $$;
