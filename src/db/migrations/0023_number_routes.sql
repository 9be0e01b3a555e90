-- Numbers point at trunks, outbound trunks at numbers.

alter table dids add constraint dids_voice_in_trunk foreign key (voice_in_trunk_id) references voice_in_trunks;
alter table dids add constraint dids_voice_in_trunk_group foreign key (voice_in_trunk_group_id)
  references voice_in_trunk_groups;
alter table voice_out_trunk_dids add foreign key (did_id) references dids on delete cascade;
alter table voice_out_trunk_emergency_dids add foreign key (did_id) references dids on delete cascade;
alter table voice_out_trunks add foreign key (default_did_id) references dids on delete set null;
create index voice_out_trunks_default_did on voice_out_trunks (default_did_id) where default_did_id is not null;

-- The numbers a trunk may make emergency calls with: those listed, or all that can where the trunk says so.
create view voice_out_trunk_emergency_links as
  select voice_out_trunk_id, did_id from voice_out_trunk_emergency_dids
  union all
  select t.id, d.id from voice_out_trunks t join dids d on d.account_id = t.account_id
  where t.emergency_enable_all and d.emergency_enabled;

-- A call to a number that nobody owns any more is told that it is gone.
create index did_history_number on did_history (did_number);
