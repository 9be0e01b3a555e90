-- The counters that a start was counted in, so that they can be given back when nothing could be sent.
alter table verifications add column counted_in jsonb;
-- Reports that came while a provider had not yet answered whether it took the code; they cost no attempt, but only so
-- many of them are compared.
alter table verifications add column early_reports smallint not null default 0;
