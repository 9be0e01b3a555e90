-- Counts orders.
create or replace function orders_counted() returns trigger language plpgsql as $$
declare
  added bigint;
begin
  if tg_op = 'INSERT' then
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'orders', order_parts(seq, status), count(*) from after_rows group by 1, 3;
  elsif tg_op = 'DELETE' then
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'orders', order_parts(seq, status), -count(*) from before_rows group by 1, 3;
  else
    insert into owned_count_changes (account_id, list, parts, change)
    select account_id, 'orders', order_parts(seq, status), sum(change)
    from (select account_id, seq, status, 1 as change from after_rows
          union all select account_id, seq, status, -1 from before_rows) each
    group by 1, 3 having sum(change) <> 0;
  end if;
  get diagnostics added = row_count;
  perform owned_counts_fold_sometimes(added);
  return null;
end $$;

create or replace trigger orders_counted_insert after insert on orders
  referencing new table as after_rows for each statement execute function orders_counted();
create or replace trigger orders_counted_update after update on orders
  referencing old table as before_rows new table as after_rows for each statement execute function orders_counted();
create or replace trigger orders_counted_delete after delete on orders
  referencing old table as before_rows for each statement execute function orders_counted();
