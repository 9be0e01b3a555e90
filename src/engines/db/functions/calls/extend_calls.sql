-- Extends calls that come to the end of what they have paid for, or go on to another destination (`risk_number`).
-- `calls` is a list of ids with the least and the most amount.
create or replace function extend_calls(calls json, p_now timestamptz)
returns table (call_id text, held numeric, refused text) language plpgsql as $$
declare
  asked record;
  result record;
begin
  perform 1 from open_calls o where o.id = any(array(select g.id from json_to_recordset(calls) as g (id text)))
    order by o.id for no key update;
  perform lock_call_money(array_agg(o.trunk_id) filter (where o.direction = 'out'), array_agg(o.account_id))
    from open_calls o where o.id = any(array(select g.id from json_to_recordset(calls) as g (id text)));
  for asked in
    select g.*, o.direction, o.trunk_id, o.account_id, o.risk, o.held, call_day(o.time_start) as day
    from json_to_recordset(calls) as g (id text, hold_least numeric, hold_most numeric, risk_number text)
    join open_calls o using (id)
  loop
    if asked.risk_number is not null then
      asked.risk := limited_risk_of(asked.account_id, asked.risk_number);
      update open_calls o set risk = asked.risk where o.id = asked.id and o.risk is distinct from asked.risk;
    end if;
    select * into result from grant_call_money(
      asked.account_id, case when asked.direction = 'out' then asked.trunk_id end, asked.risk, asked.day,
      asked.hold_least, asked.hold_most, p_now);
    call_id := asked.id;
    refused := result.refused;
    held := asked.held + result.granted;
    if refused is null then
      update open_calls o set held = o.held + result.granted where o.id = asked.id;
    end if;
    return next;
  end loop;
end $$;
