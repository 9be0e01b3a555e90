-- What running processes must hear of at once, and the environment's time inside the database.

-- Every process listens on the one channel `trunkline`; a message is a topic, a space, and what it is about.
create function tell_account_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'account ' || coalesce(new.id, old.id)::text);
  return null;
end $$;

-- Not for balance and credit, which change with every order and are read from the row each time.
create trigger accounts_changed
  after delete or update of name, api_version, read_only, limits, features on accounts
  for each row execute function tell_account_changed();

create function tell_api_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'account ' || coalesce(new.account_id, old.account_id)::text);
  return null;
end $$;

create trigger api_keys_changed after delete or update on api_keys
  for each row execute function tell_api_key_changed();

create function tell_clock_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('trunkline', 'clock ' || json_build_object(
    'version', new.clock_version,
    'offsetMs', new.clock_offset_ms,
    'standsAtMs', floor(extract(epoch from new.clock_stands_at) * 1000))::text);
  return null;
end $$;

create trigger clock_changed after update of clock_version on environment_state
  for each row execute function tell_clock_changed();

-- The job queue's connections have this schema before pg_catalog in their search_path, so that the queue's own now()
-- is the environment's time: what is due, when a failed job is tried again, how long a lock is held.
create schema environment_time;

create function environment_time.now() returns timestamptz language sql stable as $$
  select coalesce(clock_stands_at, pg_catalog.now() + clock_offset_ms * interval '1 millisecond')
  from public.environment_state
$$;

-- What the queue's own add_job comes to for a job without key and queue, at a quarter of the cost. One worker is woken,
-- and nobody for a job that is due later; the number keeps PostgreSQL from taking the words for two jobs of a
-- transaction for the same. Null means due now: by the caller's clock or the database's, whichever is behind, since the
-- queue compares with the latter and the job would otherwise wait for the next poll.
create function queue_job(task text, payload json, now timestamptz, due timestamptz default null, attempts int default null)
returns void language plpgsql as $$
begin
  insert into graphile_worker._private_jobs (task_id, payload, run_at, max_attempts)
  select id, queue_job.payload, coalesce(due, least(queue_job.now, environment_time.now())), coalesce(attempts, 25)
  from graphile_worker._private_tasks where identifier = task;
  if not found then
    perform graphile_worker.add_job(
      task, queue_job.payload, run_at => coalesce(due, least(queue_job.now, environment_time.now())), max_attempts => attempts);
  elsif due is null or due <= queue_job.now then
    perform pg_notify('jobs:insert', '{"r":' || random() || ',"count":1}');
  end if;
end $$;
