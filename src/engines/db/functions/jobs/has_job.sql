-- Whether a job with this key waits, runs or has given up.
create or replace function has_job(p_key text) returns boolean language sql stable as $$
  select exists (select from jobs where key = p_key)
$$;
