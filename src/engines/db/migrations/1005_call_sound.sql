-- How a call sounded: what was heard of each side while it was up. Null for a call that was not answered, whose media
-- did not pass through this server, or that another process has ended.
alter table cdrs_in
  -- For each of `caller` and `called`: packets, loss, jitter, round trip, MOS, silence, and their course.
  add column sound jsonb,
  -- Why a side was not heard at all, such as 'called_silent'; null if both were.
  add column sound_problem text,
  -- Estimates of the E-model for what each side sent, from 1 to 4.5.
  add column caller_mos numeric(3, 2),
  add column called_mos numeric(3, 2),
  -- Packets of each side that did not come, in percent.
  add column caller_lost_percent numeric(5, 2),
  add column called_lost_percent numeric(5, 2);
alter table cdrs_out
  -- For each of `caller` and `called`: packets, loss, jitter, round trip, MOS, silence, and their course.
  add column sound jsonb,
  -- Why a side was not heard at all, such as 'called_silent'; null if both were.
  add column sound_problem text,
  -- Estimates of the E-model for what each side sent, from 1 to 4.5.
  add column caller_mos numeric(3, 2),
  add column called_mos numeric(3, 2),
  -- Packets of each side that did not come, in percent.
  add column caller_lost_percent numeric(5, 2),
  add column called_lost_percent numeric(5, 2);

-- For the figures of a carrier's last day.
create index cdrs_in_carrier on cdrs_in (carrier_id, time_start);
