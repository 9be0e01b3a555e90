-- Fees of verifications: what was quoted at the start, so that open starts cannot overspend an account together.

-- A rate is for a verified number, or for every message sent.
alter table verification_rates
  add column per text not null default 'verification' check (per in ('verification', 'message')),
  drop constraint verification_rates_pkey,
  add primary key (per, delivery_method, prefix);

-- One row for a start that may cost something; a free one (the whole sandbox) has none.
create table verification_quotes (
  verification_id uuid primary key,
  account_id uuid not null,
  expires_at timestamptz not null,
  vat_rate numeric(6, 3) not null,
  -- Charged when the number is verified.
  fee_net numeric(18, 4) not null,
  fee_vat numeric(18, 4) not null,
  -- Charged when the message has been sent.
  message_net numeric(18, 4) not null,
  message_vat numeric(18, 4) not null,
  message_charged boolean not null default false
) with (fillfactor = 85);
create index verification_quotes_open on verification_quotes (account_id, expires_at);

-- Starts that are open now were quoted with the fee alone, tax included.
insert into verification_quotes (verification_id, account_id, expires_at, vat_rate, fee_net, fee_vat, message_net, message_vat)
select v.id, v.account_id, v.expires_at, a.vat_rate, q.net, v.fee - q.net, 0, 0
from verifications v join accounts a on a.id = v.account_id,
  lateral (select round(v.fee * 100 / (100 + a.vat_rate), 4) as net) q
where v.status = 'pending' and v.fee > 0;

alter table ledger_transactions drop constraint ledger_transactions_cause_check;
alter table ledger_transactions add constraint ledger_transactions_cause_check check (cause in (
  'opening_balance', 'top_up', 'adjustment', 'order', 'order_completed', 'order_canceled', 'renewal', 'restoration',
  'pool_renewal', 'emergency', 'emergency_renewal', 'refund', 'verification_fee', 'verification_message',
  'metered_minutes', 'call_charge'));

-- What the open starts of an account may still cost. Which starts are open is decided as in src/verification/unfinished.ts.
create function open_verification_fees(p_account uuid, p_now timestamptz, p_stale_seconds integer, p_except uuid)
returns numeric language sql stable as $$
  select coalesce(sum(q.fee_net + q.fee_vat
                      + case when q.message_charged then 0 else q.message_net + q.message_vat end), 0)
  from verification_quotes q join verifications v on v.id = q.verification_id
  where q.account_id = p_account and q.expires_at > p_now and q.verification_id is distinct from p_except
    and v.status = 'pending'
    and (v.dispatched_at is not null or v.created_at > p_now - p_stale_seconds * interval '1 second'
         or v.code_timeout <= p_stale_seconds)
$$;

-- Counts a new start against the balance, one start of an account after another: the account's row is locked, and only then
-- is looked what else is open. Nothing moves. The error undoes the whole start.
create function quote_verification(p_quote verification_quotes, p_now timestamptz, p_stale_seconds integer, p_superseded uuid)
returns boolean language plpgsql as $$
declare
  spendable numeric;
  wanted numeric := p_quote.fee_net + p_quote.fee_vat + p_quote.message_net + p_quote.message_vat;
begin
  select a.balance + a.credit into spendable from accounts a where a.id = p_quote.account_id for no key update;
  -- A statement of its own, so that it sees what was committed while this one waited for the lock.
  select spendable - open_verification_fees(p_quote.account_id, p_now, p_stale_seconds, p_superseded) into spendable;
  if spendable < wanted then
    raise exception 'the balance does not cover the open verifications' using errcode = 'TL402';
  end if;
  insert into verification_quotes select p_quote.*;
  return true;
end $$;
