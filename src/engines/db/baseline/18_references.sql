-- References that would go in a circle, or to rooms made later.

alter table panel_sessions add foreign key (operator_id) references operators on delete cascade;
alter table panel_logins add foreign key (operator_id) references operators on delete cascade;
alter table order_items add foreign key (emergency_calling_service_id) references emergency_calling_services;
alter table voice_out_trunks add foreign key (default_did_id) references dids on delete set null;
alter table voice_out_trunk_dids add foreign key (did_id) references dids on delete cascade;
alter table voice_out_trunk_emergency_dids add foreign key (did_id) references dids on delete cascade;
alter table address_verification_dids add foreign key (did_id) references dids on delete cascade;
alter table emergency_verification_dids add foreign key (did_id) references dids on delete cascade;
