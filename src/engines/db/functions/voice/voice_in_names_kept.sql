-- Names are unique among an account's trunks and trunk groups together: both keep theirs in voice_in_names.
create or replace function voice_in_names_kept() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    delete from voice_in_names where owner_id = old.id;
  elsif tg_op = 'INSERT' then
    insert into voice_in_names (account_id, name, owner_id) values (new.account_id, new.name, new.id);
  else
    update voice_in_names set name = new.name where owner_id = new.id;
  end if;
  return null;
end $$;

create or replace trigger voice_in_trunks_named after insert or delete or update of name on voice_in_trunks
  for each row execute function voice_in_names_kept();
create or replace trigger voice_in_trunk_groups_named after insert or delete or update of name on voice_in_trunk_groups
  for each row execute function voice_in_names_kept();
