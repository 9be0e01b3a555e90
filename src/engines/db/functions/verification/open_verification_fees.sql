-- What the open starts of an account may still cost. Which starts are open is decided as in
-- src/interfaces/verification/unfinished.ts.
create or replace function open_verification_fees(p_account uuid, p_now timestamptz, p_stale_seconds integer, p_except uuid)
returns numeric language sql stable as $$
  select coalesce(sum(q.fee_net + q.fee_vat
                      + case when q.message_charged then 0 else q.message_net + q.message_vat end), 0)
  from verification_quotes q join verifications v on v.id = q.verification_id
  where q.account_id = p_account and q.expires_at > p_now and q.verification_id is distinct from p_except
    and v.status = 'pending'
    and (v.dispatched_at is not null or v.created_at > p_now - p_stale_seconds * interval '1 second'
         or v.code_timeout <= p_stale_seconds)
$$;
