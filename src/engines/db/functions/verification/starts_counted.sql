-- How many starts a counter of a guard has counted, and how many of its rows are not folded into the sum. One
-- statement, so that a row that is folded at this moment counts once.
create or replace function starts_counted(
  p_guard text, p_subject text, p_window timestamptz, out count integer, out unfolded integer)
language sql stable as $$
  select (coalesce((select c.count from verification_counters c
                    where c.guard = p_guard and c.subject = p_subject and c.window_start = p_window), 0)
          + coalesce(sum(s.count), 0))::int, count(*)::int
  from verification_start_counts s where s.guard = p_guard and s.subject = p_subject and s.window_start = p_window
$$;
