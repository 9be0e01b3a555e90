-- The addresses that may call out with a trunk, as the database reads them. No statement casts the text of other tenants:
-- one entry that is no address used to fail everybody's calls.
alter table voice_out_trunks add column allowed_networks cidr[] not null default '{}';

-- An entry that was accepted before and is no address (an IPv6 zone) matches nothing.
create function voice_out_trunk_networks(authentication jsonb) returns cidr[] language plpgsql immutable as $$
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

create function keep_voice_out_trunk_networks() returns trigger language plpgsql as $$
begin
  new.allowed_networks := voice_out_trunk_networks(new.authentication);
  return new;
end $$;

create trigger keep_networks before insert or update of authentication on voice_out_trunks
  for each row execute function keep_voice_out_trunk_networks();

update voice_out_trunks set allowed_networks = voice_out_trunk_networks(authentication);
