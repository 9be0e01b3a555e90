-- Counts a new start against the balance, one start of an account after another (free_money locks the account's row).
-- No money moves. The error undoes the whole start.
create or replace function quote_verification(p_quote verification_quotes, p_now timestamptz, p_stale_seconds integer, p_superseded uuid)
returns boolean language plpgsql as $$
declare
  wanted numeric := p_quote.fee_net + p_quote.fee_vat + p_quote.message_net + p_quote.message_vat;
begin
  if free_money(p_quote.account_id, p_now, wanted, p_stale_seconds, p_superseded) < wanted then
    raise exception 'the balance does not cover the open verifications' using errcode = 'TL402';
  end if;
  update accounts a set quoted_at_most = a.quoted_at_most + wanted where a.id = p_quote.account_id;
  insert into verification_quotes select p_quote.*;
  return true;
end $$;
