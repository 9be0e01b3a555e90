-- Adds to what calls hold: of the trunk, the account, and the class of destinations.
create or replace function move_hold(p_direction text, p_trunk uuid, p_account uuid, p_risk text, p_day date, p_amount numeric)
returns void language plpgsql as $$
begin
  if p_direction = 'out' then
    update voice_out_trunks set held = held + p_amount where id = p_trunk;
  end if;
  update accounts set held = held + p_amount where id = p_account;
  if p_risk is not null then
    insert into risk_spending as s (account_id, risk, day, held) values (p_account, p_risk, p_day, p_amount)
    on conflict (account_id, risk, day) do update set held = s.held + excluded.held;
  end if;
end $$;
