-- Called by the triggers with the number of changes that they have added.
create or replace function owned_counts_fold_sometimes(added bigint) returns void language plpgsql as $$
begin
  if added > 20 or (added > 0 and random() < 0.02) then
    perform owned_counts_fold();
  end if;
end $$;
