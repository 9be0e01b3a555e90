-- Opens calls that arrive together: one statement, one commit. Each is counted after the ones before it. `calls` is a
-- list of the columns of open_calls, of what is counted and allowed, and of the event; src/business/voice/open-call.ts
-- writes it.
create or replace function voice_open_calls(calls json)
returns table (call_id text, opened boolean, number_total int, included int, dedicated int, shared int, metered int,
               in_group int, by_trunk jsonb, held numeric, refused text)
language plpgsql volatile as $$
declare
  given record;
  result record;
  risk text;
  locked boolean := false;
begin
  -- All locks of all calls before the first count, in one order for every caller; a single call locks in the same
  -- order.
  if json_array_length(calls) > 1 then
    perform pg_advisory_xact_lock(locks.class, locks.key) from (
      select distinct x.class, hashtext(x.id::text) as key
      from json_to_recordset(calls)
             as g (counted_did uuid, counted_capacity_group uuid, counted_trunk_group uuid, counted_trunks uuid[]),
           lateral (
             values (7421031, g.counted_did), (7421032, g.counted_capacity_group), (7421033, g.counted_trunk_group)
             union all select 7421034, t from unnest(g.counted_trunks) t
           ) x (class, id)
      where x.id is not null
      order by 1, 2
    ) locks;
  end if;
  for given in
    select * from json_to_recordset(calls)
      as x (id text, direction text, account_id uuid, worker_id uuid, state text, did_id uuid, channel text,
            shared_capacity_group_id uuid, trunk_id uuid, trunk_group_id uuid, time_start timestamptz, call jsonb,
            stream text, event text, at timestamptz,
            counted_did uuid, counted_capacity_group uuid, counted_trunk_group uuid, counted_trunks uuid[],
            most_number int, most_channel int, most_trunk_group int, most_trunk int,
            hold_least numeric, hold_most numeric, risk_number text)
    -- Free calls take no lock of money, so they go first and wait for none.
    order by hold_least is not null
  loop
    call_id := given.id;
    held := 0;
    refused := null;
    risk := null;
    select c.number_total, c.included, c.dedicated, c.shared, c.metered, c.in_group, c.by_trunk
      into number_total, included, dedicated, shared, metered, in_group, by_trunk
      from voice_channels_in_use(given.counted_did, given.counted_capacity_group, given.counted_trunk_group,
                                 given.counted_trunks) c;
    opened := (given.most_number is null or number_total < given.most_number)
      and (given.most_channel is null or case given.channel when 'included' then included when 'dedicated' then dedicated
                                              when 'shared' then shared else metered end < given.most_channel)
      and (given.most_trunk_group is null or in_group < given.most_trunk_group)
      and (given.most_trunk is null or coalesce((by_trunk->>given.trunk_id::text)::int, 0) < given.most_trunk);
    if opened and given.hold_least is not null then
      -- For all calls before the first gets any.
      if not locked then
        locked := true;
        perform lock_call_money(array_agg(g.trunk_id) filter (where g.direction = 'out'), array_agg(g.account_id))
          from json_to_recordset(calls) as g (trunk_id uuid, account_id uuid, direction text, hold_least numeric)
          where g.hold_least is not null;
      end if;
      risk := limited_risk_of(given.account_id, given.risk_number);
      select * into result from grant_call_money(
        given.account_id, case when given.direction = 'out' then given.trunk_id end, risk, call_day(given.time_start),
        given.hold_least, given.hold_most, given.at);
      held := result.granted;
      refused := result.refused;
      opened := refused is null;
    end if;
    if opened then
      insert into open_calls (id, direction, account_id, worker_id, state, did_id, channel, shared_capacity_group_id,
                              trunk_id, trunk_group_id, time_start, call, held, risk)
      values (given.id, given.direction, given.account_id, given.worker_id, given.state, given.did_id, given.channel,
              given.shared_capacity_group_id, given.trunk_id, given.trunk_group_id, given.time_start, given.call, held, risk);
      if given.event is not null then
        insert into call_events (account_id, stream, call_id, body, created_at, due_at)
        values (given.account_id, given.stream, given.id, given.event, given.at, given.at);
      end if;
    end if;
    return next;
  end loop;
end $$;
