-- Every order that a list of an account can be asked for has an index that ends with what settles ties: the first page of a
-- million rows then reads fifty of them. Numbers that are set aside for a pending order are in no list and in no such index.
create index dids_by_created on dids (account_id, created_at, id) where activated_at is not null;
create index dids_by_expires on dids (account_id, expires_at, id) where activated_at is not null;
create index dids_by_cycles on dids (account_id, billing_cycles_count, id) where activated_at is not null;
create index dids_by_blocked on dids (account_id, (terminated or awaiting_registration or blocked_by_staff), id) where activated_at is not null;
create index dids_by_awaiting on dids (account_id, awaiting_registration, id) where activated_at is not null;
create index dids_by_terminated on dids (account_id, terminated, id) where activated_at is not null;
create index dids_by_capacity_limit on dids (account_id, capacity_limit, id) where activated_at is not null;
create index dids_by_included on dids (account_id, channels_included_count, id) where activated_at is not null;
create index dids_by_dedicated on dids (account_id, dedicated_channels_count, id) where activated_at is not null;

drop index orders_account_created;
create index orders_by_created on orders (account_id, created_at, seq);
create index orders_by_amount on orders (account_id, amount, seq);
create index orders_by_external_reference on orders (account_id, external_reference_id, seq);
create index orders_by_reference on orders (account_id, reference, seq);
create index orders_by_status on orders (account_id, status, seq);

drop index did_history_account;
create index did_history_account on did_history (account_id, created_at desc, id);
create index did_history_by_action on did_history (account_id, action, created_at desc, id);
create index identities_by_created on identities (account_id, created_at, id);
create index addresses_by_created on addresses (account_id, created_at, id);
