-- What the account can spend on something new, exact where that is less than `p_needed`. The row of the account stays
-- locked until the end of the transaction.
create or replace function free_money(
  p_account uuid, p_now timestamptz, p_needed numeric, p_stale_seconds integer default 31536000, p_superseded uuid default null)
returns numeric language plpgsql as $$
declare
  account record;
begin
  select a.balance + a.credit - a.held as free, a.quoted_at_most as quoted into strict account
    from accounts a where a.id = p_account for no key update;
  if account.quoted > 0 and account.free - account.quoted < p_needed then
    -- A statement of its own, so that it sees what was committed while this one waited for the lock.
    account.quoted := open_verification_fees(p_account, p_now, p_stale_seconds, p_superseded);
    update accounts a set quoted_at_most = account.quoted where a.id = p_account;
  end if;
  return account.free - account.quoted;
end $$;
