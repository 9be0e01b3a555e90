-- Which provider is being asked: after a crash one that knows idempotency keys is asked again, and no other.
alter table verifications add column dispatch_provider_id uuid;
