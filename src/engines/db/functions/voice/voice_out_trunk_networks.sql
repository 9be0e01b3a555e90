-- An entry that was accepted before and is no address (an IPv6 zone) matches nothing.
create or replace function voice_out_trunk_networks(authentication jsonb) returns cidr[] language plpgsql immutable as $$
declare
  networks cidr[] := '{}';
  entry text;
begin
  for entry in select jsonb_array_elements_text(authentication->'allowed_sip_ips') loop
    begin
      networks := networks || network(entry::inet)::cidr;
    exception when invalid_text_representation then
      null;
    end;
  end loop;
  return networks;
end $$;
