-- The jobs of a task that are due and have not begun, the oldest first.
create or replace function due_jobs(p_task text, p_at timestamptz, p_most int)
returns table (run_at timestamptz, payload json) language sql stable as $$
  select j.run_at, j.payload from jobs j
  where j.task = p_task and j.is_available and j.run_at <= p_at order by j.run_at limit p_most
$$;
