-- The numbers of an outbound trunk that may call emergency services. One that is no longer enabled for emergency
-- calling is not among them.
create or replace view voice_out_trunk_emergency_links as
  select l.voice_out_trunk_id, l.did_id from voice_out_trunk_emergency_dids l join dids d on d.id = l.did_id
  where d.emergency_enabled
  union all
  select t.id, d.id from voice_out_trunks t join dids d on d.account_id = t.account_id
  where t.emergency_enable_all and d.emergency_enabled;
