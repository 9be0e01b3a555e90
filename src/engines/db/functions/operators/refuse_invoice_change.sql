-- An invoice that has been issued is never changed.
create or replace function refuse_invoice_change() returns trigger language plpgsql as $$
begin
  raise exception 'invoices never change; correct one with an adjustment or a refund of the next month';
end $$;

create or replace trigger invoices_unchangeable before update or delete on invoices
  for each row execute function refuse_invoice_change();
create or replace trigger invoices_not_truncated before truncate on invoices
  for each statement execute function refuse_invoice_change();
