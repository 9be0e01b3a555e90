-- What an account pays for a verified number, or for a message (`p_per`), by the longest prefix; VAT not included.
create or replace function verification_rate(p_account uuid, p_per text, p_method text, p_destination text)
returns numeric language sql stable as $$
  select adjusted_price(p_account, case p_per when 'message' then 'verification_message' else 'verification' end, coalesce((
    select r.amount from verification_rates r
    where r.per = p_per and r.delivery_method = p_method and starts_with(p_destination, r.prefix)
    order by length(r.prefix) desc limit 1), 0), 4)
$$;
