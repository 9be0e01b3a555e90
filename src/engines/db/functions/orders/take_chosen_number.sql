-- A chosen number, or the one of a reservation. Numbers reserved by others are not available; a reservation of the
-- account is used up with its number.
create or replace function take_chosen_number(
  p_account uuid, p_group uuid, p_prefix uuid, p_available_did uuid, p_reservation uuid, p_now timestamptz)
returns table (number text, nanpa_prefix_id uuid) language plpgsql as $$
#variable_conflict use_column
begin
  if p_available_did is not null then
    return query delete from available_dids a using did_groups g
      where a.id = p_available_did and a.did_group_id = p_group and g.id = a.did_group_id and g.available_dids_enabled
        and (p_prefix is null or a.nanpa_prefix_id = p_prefix)
        and not exists (select from did_reservations r where r.available_did_id = a.id
                        and r.expires_at > p_now and r.account_id <> p_account)
      returning a.number, a.nanpa_prefix_id;
  else
    return query delete from available_dids a using did_reservations r
      where r.id = p_reservation and r.account_id = p_account and r.expires_at > p_now
        and a.id = r.available_did_id and a.did_group_id = p_group
        and (p_prefix is null or a.nanpa_prefix_id = p_prefix)
      returning a.number, a.nanpa_prefix_id;
  end if;
end $$;
