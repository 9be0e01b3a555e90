-- Starts verifications of one account: makes the checks of each in the order of the contract, and stores those that
-- pass, with their cooldowns, counts, quotes and jobs. Several at once are the same as one after another, so that starts
-- that come together can share a round trip and a commit. A start with `only_check` is checked and not stored.
--
-- Parallel starts are decided by locks, which all starts take in one order: turns at a counter that is nearly full, then
-- slots (the second start of a number finds the slot too new), then superseded records, and the account last.
create or replace function start_verifications(p_starts json, p_cooldown interval, p_stale_seconds integer)
returns table (place integer, refusal text, full_count integer, started_at timestamptz, fee text, crowded boolean, job_id text)
language plpgsql as $$
#variable_conflict use_column
declare
  start record;
  terms record;
  counter record;
  quote verification_quotes;
  price numeric;
  cost numeric;
  replaced uuid;
  stored uuid[] := '{}';
  fees numeric[] := '{}';
  crowds boolean[] := '{}';
  quotes verification_quotes[] := '{}';
  latest timestamptz;
begin
  -- Starts of one counter that are being stored at one moment, in all processes, are far fewer than 100: they have a
  -- connection each. So only the last 100 before a limit take turns, and exactly as many pass as it allows.
  for counter in
    select distinct k.guard, k.subject, k.window_start, k.most
    from json_to_recordset(p_starts) as s (counts jsonb, only_check boolean)
    cross join jsonb_to_recordset(s.counts) as k (guard text, subject text, window_start timestamptz, most integer)
    where not s.only_check order by 1, 2, 3
  loop
    if (starts_counted(counter.guard, counter.subject, counter.window_start)).count + 100 > counter.most then
      perform pg_advisory_xact_lock(hashtextextended(
        format('count starts %s %s %s', counter.guard, counter.subject, counter.window_start), 0));
    end if;
  end loop;

  for start in
    select s.* from json_to_recordset(p_starts) as s (
      place integer, id uuid, application_id uuid, account_id uuid, destination text, delivery_method text,
      created_at timestamptz, expires_at timestamptz, is_free boolean, is_reachable boolean, is_refused boolean,
      counts jsonb, only_check boolean)
    order by s.application_id, s.destination, s.created_at, s.place
  loop
    select a.balance + a.credit - a.held as available, a.vat_rate, s.started_at, s.verification_id into strict terms
      from accounts a
      left join verification_slots s on s.application_id = start.application_id and s.destination = start.destination
      where a.id = start.account_id;
    cost := 0;
    price := 0;
    if not start.is_free then
      select start.id, start.account_id, start.expires_at, terms.vat_rate,
             f.net, round(f.net * terms.vat_rate / 100, 4), m.net, round(m.net * terms.vat_rate / 100, 4), false
        into quote
        from verification_rate(start.account_id, 'verification', start.delivery_method, start.destination) as f (net),
          verification_rate(start.account_id, 'message', start.delivery_method, start.destination) as m (net);
      price := quote.fee_net + quote.fee_vat;
      cost := price + quote.message_net + quote.message_vat;
      -- The start that this one supersedes will never be charged.
      terms.available := terms.available
        - open_verification_fees(start.account_id, start.created_at, p_stale_seconds, terms.verification_id);
    end if;

    place := start.place;
    fee := price::numeric(18, 4);
    job_id := null;
    full_count := null;
    crowded := false;
    started_at := terms.started_at;
    refusal := case
      when not coalesce(start.is_reachable, has_verification_route(start.delivery_method, start.destination))
        then 'unreachable'
      when terms.available <= 0 or terms.available < cost then 'balance'
      when terms.started_at > start.created_at - p_cooldown then 'cooldown'
      when start.is_refused then 'guard'
    end;
    if refusal is null then
      for counter in
        select k.place, k.most, c.count, c.unfolded
        from jsonb_to_recordset(start.counts) as k (
          place integer, guard text, subject text, window_start timestamptz, most integer)
        cross join lateral starts_counted(k.guard, k.subject, k.window_start) as c
        order by k.place desc
      loop
        crowded := crowded or counter.unfolded > 200;
        if counter.count >= counter.most then
          refusal := 'limit';
          full_count := counter.place;
        end if;
      end loop;
    end if;

    if refusal is null and not start.only_check then
      insert into verification_slots as s (application_id, destination, started_at, verification_id)
        values (start.application_id, start.destination, start.created_at, start.id)
        on conflict (application_id, destination) do update
        set started_at = excluded.started_at, verification_id = excluded.verification_id, superseded_id = s.verification_id
        where s.started_at <= excluded.started_at - p_cooldown
        returning superseded_id into replaced;
      if not found then
        refusal := 'cooldown';
        started_at := (select s.started_at from verification_slots s
                       where s.application_id = start.application_id and s.destination = start.destination);
      else
        if replaced is not null then
          update verifications v set status = 'failed', error_code = 'superseded', final_at = start.created_at
            where v.id = replaced and v.status = 'pending' and v.expires_at > start.created_at
              and (v.dispatched_at is not null or v.created_at > start.created_at - p_stale_seconds * interval '1 second'
                   or v.code_timeout <= p_stale_seconds);
        end if;
        insert into verification_start_counts (guard, subject, window_start, count)
          select k.guard, k.subject, k.window_start, 1
          from jsonb_to_recordset(start.counts) as k (guard text, subject text, window_start timestamptz, is_counted boolean)
          where k.is_counted;
        stored := stored || start.id;
        fees := fees || price;
        crowds := crowds || crowded;
        if cost > 0 then
          quotes := quotes || quote;
        end if;
        latest := greatest(latest, start.created_at);
        continue;
      end if;
    end if;
    return next;
  end loop;

  if stored = '{}' then
    return;
  end if;
  insert into verifications (id, application_id, account_id, destination, delivery_method, status, fee, language, app_hash,
                             code_length, code_timeout, created_at, expires_at, final_at, counted_in)
    select v.id, v.application_id, v.account_id, v.destination, v.delivery_method, 'pending', k.fee, v.language, v.app_hash,
           v.code_length, v.code_timeout, v.created_at, v.expires_at, v.expires_at, v.counted_in
    from json_populate_recordset(null::verifications, p_starts) v join unnest(stored, fees) as k (id, fee) using (id);
  foreach quote in array quotes loop
    perform quote_verification(quote, latest, p_stale_seconds, null);
  end loop;
  return query
    select s.place, null, null::integer, null::timestamptz, k.fee::numeric(18, 4)::text, k.crowded,
           queue_job(s.task, json_build_object('verification_id', s.id), s.created_at, priority => s.priority,
                     taken_by => s.taken_by)::text
    from json_to_recordset(p_starts) as s (place integer, id uuid, created_at timestamptz, task text, priority integer, taken_by text)
    join unnest(stored, fees, crowds) as k (id, fee, crowded) using (id);
end $$;
