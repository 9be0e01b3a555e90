-- Look-ups of /operator/v1 that were slower than 100 ms with 1 M numbers and 10 M CDRs (bench/operator.ts). What they cost when a
-- CDR is written is a row of that bench.

create index dids_owner on dids (account_id, number);
create index dids_created on dids (created_at);
create index dids_group on dids (did_group_id);
create index did_history_action on did_history (action, created_at);
create index did_history_method on did_history (method, created_at);
create index orders_status on orders (status, created_at);
create index deliveries_kind on deliveries (kind, created_at);
create index delivery_attempts_time on delivery_attempts (attempted_at);

create index ledger_transactions_time on ledger_transactions (created_at, id);

create index cdrs_in_code on cdrs_in (disconnect_code, time_start);
create index cdrs_out_code on cdrs_out (disconnect_code, time_start);
create index cdrs_out_carrier on cdrs_out (carrier_id, time_start);

-- Written in batches, in the order of time.
create index api_requests_status on api_requests (status, at);
create index api_requests_route on api_requests (route, at);
create index api_requests_method on api_requests (method, at);
create index api_requests_caller_kind on api_requests (caller_kind, at);
create index api_requests_request_id on api_requests (request_id);

-- The status of a verification changes, and an ordinary index of it would make every change of the row a new entry in all
-- indexes. A summary of the values in each range of pages does not (from PostgreSQL 16 on), and finds rare states.
create index verifications_status on verifications using brin (status text_bloom_ops) with (pages_per_range = 32, autosummarize = on);
create index verifications_method on verifications (delivery_method, id);

create index audit_log_action on audit_log (action, at desc, id desc);
