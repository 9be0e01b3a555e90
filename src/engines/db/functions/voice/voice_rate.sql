-- The rate for a call to a number; no row when there is none. A percentage adjusts both parts of a rate, a fixed amount
-- the price of a minute; a look-up of a name has no minutes, so there it adjusts the fee.
create or replace function voice_rate(wanted text, owner uuid, number text) returns setof voice_rates language sql stable as $$
  select r.id, r.account_id, r.kind, r.prefix,
    case when r.account_id is null and wanted <> 'cnam_lookup' then adjusted_price(owner, wanted, r.per_minute, 6)::numeric(12, 6)
      else r.per_minute end,
    case when r.account_id is null and (wanted = 'cnam_lookup'
        or exists (select from price_adjustments a where a.account_id = owner and a.product = wanted and a.fixed is null))
      then adjusted_price(owner, wanted, r.connection_fee, 4)::numeric(12, 4) else r.connection_fee end,
    r.initial_interval, r.next_interval, r.country, r.network
  from (
    select v.* from voice_rates v
    where v.kind = wanted and (v.account_id is null or v.account_id = owner)
      and v.prefix in (select left(number, n) from generate_series(0, length(number)) n)
    order by v.account_id is null, length(v.prefix) desc limit 1
  ) r
$$;
