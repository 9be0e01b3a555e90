-- What a number gets that is activated now. One that waits for its registration is paid for from the day it is
-- registered.
create or replace function activation_of(
  needs_registration boolean, account uuid, now timestamptz, month_ends timestamptz, registration_days integer)
returns table (billed_since timestamptz, periods integer, expires_at timestamptz, due_at timestamptz) language sql stable as $$
  select case when not needs_registration then now end, case when needs_registration then 0 else 1 end,
    case when not needs_registration then month_ends end,
    case when needs_registration then now + coalesce((
        select s.registration_days from review_settings s where s.account_id = account
      ), registration_days) * interval '24 hours' else month_ends end
$$;
