-- What was heard of both sides of a call: packets, loss, jitter, round trip, an estimate of how it sounded, and their
-- course (`CallQuality` of src/engines/media/media-engine.ts). Null for a call without media through this server.
alter table call_traces add column media jsonb;
