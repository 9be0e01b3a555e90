-- Which submission of a service is the latest, also when two were made in the same millisecond.
alter table emergency_verifications add column seq bigint generated always as identity;
drop index emergency_verifications_service;
create index emergency_verifications_service on emergency_verifications (emergency_calling_service_id, seq);
