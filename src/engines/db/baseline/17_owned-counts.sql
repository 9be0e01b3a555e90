-- How many rows each account has in its lists, and where in a list they are: a total, and the way to a deep page, take
-- the same time for ten rows and a million. Triggers keep the counts; code that writes the tables never sees them.
--
-- A count is its row in owned_counts plus what owned_count_changes holds for it, read in one statement: exact at every
-- moment, inside the transaction that changes it too. Writers only add changes, so two orders of an account never wait
-- for each other; now and then one of them folds the changes in, unless another process is doing it (as with
-- stock_shelves).

create table owned_counts (
  account_id uuid not null,
  list text collate "C" not null,
  -- What is counted: '' all rows, 'status=completed' those that a filter selects, '1 999001' and '2 999001002' a coarse
  -- and a fine range of the list's order. The text of a fine range begins with that of its coarse one, and both sort as
  -- the list does.
  part text collate "C" not null,
  entries bigint not null,
  primary key (account_id, list, part)
) with (fillfactor = 80);

create table owned_count_changes (
  account_id uuid not null,
  list text collate "C" not null,
  parts text[] collate "C" not null,
  change integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index owned_count_changes_account on owned_count_changes (account_id, list);
