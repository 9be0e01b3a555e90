-- Which provider is being asked: after a crash one that knows idempotency keys is asked again, and no other.
alter table verifications add column dispatch_provider_id uuid;
-- Reportable, although nobody knows whether the code was sent; without proof it fails in time.
alter table verifications add column dispatch_in_doubt boolean not null default false;
