-- Charges what a verification has come to cost: its message, once, when it was sent, and its fee when it is verified. A
-- right code proves that the message was sent, even if that was not recorded. The balance covered both at the start,
-- and calls and orders have left them; if a renewal has taken them since then, they become a debt, because nothing is
-- verified without its fee. Returns whether anything was charged. The account's row is the last lock that is taken.
create or replace function charge_verification(p_verification uuid, p_at timestamptz, p_is_verified boolean)
returns boolean language plpgsql as $$
declare
  quote verification_quotes;
  message numeric;
  fee numeric;
begin
  select * into quote from verification_quotes q where q.verification_id = p_verification for update;
  message := case when quote.message_charged then 0 else quote.message_net + quote.message_vat end;
  fee := case when p_is_verified then quote.fee_net + quote.fee_vat else 0 end;
  if quote is null or message + fee = 0 then
    return false;
  end if;
  perform from accounts a where a.id = quote.account_id for no key update;
  if message > 0 then
    update verification_quotes q set message_charged = true where q.verification_id = p_verification;
    perform post_ledger(quote.account_id, 'verification_message', p_verification, '', null, quote.vat_rate, p_at,
      array['customer', 'revenue', 'vat'], array[-message, quote.message_net, quote.message_vat]);
  end if;
  if fee > 0 then
    perform post_ledger(quote.account_id, 'verification_fee', p_verification, '', null, quote.vat_rate, p_at,
      array['customer', 'revenue', 'vat'], array[-fee, quote.fee_net, quote.fee_vat]);
  end if;
  return true;
end $$;
