-- Removes the passkeys of a login and everything half-done: links, challenges, a second factor that was never
-- confirmed. Passkeys that its person chose to keep stay.
create or replace function end_access_of_login(p_login uuid) returns void language plpgsql as $$
begin
  delete from passkeys where login_id = p_login and id <> all (kept_with_new_password());
  delete from login_links where login_id = p_login;
  delete from login_challenges where login_id = p_login;
  update panel_logins set sealed_totp_secret = null where id = p_login and totp_confirmed_at is null;
end $$;
