-- IAX2 and H.323 trunks of clients of API version 2022-05-10: kept and shown, never routed.

alter table voice_in_trunks drop constraint voice_in_trunks_configuration_type_check;
alter table voice_in_trunks add constraint voice_in_trunks_configuration_type_check check (configuration_type in
  ('sip_configurations', 'pstn_configurations', 'iax2_configurations', 'h323_configurations'));
