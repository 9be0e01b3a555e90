-- Decides how much more money a call gets: at least p_least, or nothing and the reason. It gets p_most where that is no
-- more than a hundredth of what is left, and less the scarcer money is: so calls of an account with plenty ask seldom,
-- and those of one with little leave something for each other. The caller has locked trunk and account, and stores what
-- is granted.
create or replace function grant_call_money(p_account uuid, p_trunk uuid, p_risk text, p_day date, p_least numeric, p_most numeric, p_now timestamptz)
returns table (granted numeric, refused text) language plpgsql as $$
declare
  free numeric;
  remaining numeric;
  trunk record;
begin
  free := free_money(p_account, p_now, 100 * p_most);
  if free < p_least then
    return query select 0::numeric, 'insufficient_balance';
    return;
  end if;
  if p_trunk is not null then
    select t.threshold_amount, t.spent_at_most, t.held, t.threshold_from into trunk from voice_out_trunks t where t.id = p_trunk;
    if found then
      remaining := trunk.threshold_amount - trunk.spent_at_most - trunk.held;
      if remaining < 10 * p_most and trunk.spent_at_most > 0 then
        select coalesce(sum(c.price), 0) into trunk.spent_at_most from cdrs_out c
        where c.voice_out_trunk_id = p_trunk
          and c.time_start > greatest(p_now - interval '24 hours', coalesce(trunk.threshold_from, '-infinity'));
        update voice_out_trunks t set spent_at_most = trunk.spent_at_most where t.id = p_trunk;
        remaining := trunk.threshold_amount - trunk.spent_at_most - trunk.held;
      end if;
      if remaining < p_least then
        return query select 0::numeric, 'threshold_reached';
        return;
      end if;
      free := least(free, remaining);
    end if;
  end if;
  if p_risk is not null then
    remaining := risk_limit(p_account, p_risk);
    if remaining is not null then
      remaining := remaining - coalesce((select r.spent + r.held from risk_spending r
        where r.account_id = p_account and r.risk = p_risk and r.day = p_day), 0);
      if remaining < p_least then
        return query select 0::numeric, 'risk_limit';
        return;
      end if;
      free := least(free, remaining);
    end if;
  end if;
  return query select least(p_most, greatest(p_least, trunc(free / 100, 4))), null::text;
end $$;
