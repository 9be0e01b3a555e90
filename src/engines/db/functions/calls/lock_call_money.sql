-- Locks in the order of all that move such money: trunks, then accounts, each by id.
create or replace function lock_call_money(p_trunks uuid[], p_accounts uuid[]) returns void language plpgsql as $$
begin
  perform 1 from voice_out_trunks where id = any(p_trunks) order by id for no key update;
  perform 1 from accounts where id = any(p_accounts) order by id for no key update;
end $$;
