-- Tax is split off once, when a price is made, and booked as it was charged. Here: the places where the split is kept.

-- The rate a movement was taxed with; null where nothing is earned or refunded (payments, holds).
alter table ledger_transactions add column vat_rate numeric(6, 3);

-- The rate of all prices of an order.
alter table orders add column vat_rate numeric(6, 3) not null default 0;

alter table order_items
  -- The tax inside nrc and mrc, per unit.
  add column nrc_vat numeric(12, 4) not null default 0,
  add column mrc_vat numeric(12, 4) not null default 0,
  -- What was given back of this item: tax included, and the tax in it.
  add column refunded numeric(18, 4) not null default 0,
  add column refunded_vat numeric(18, 4) not null default 0,
  add constraint order_items_tax_within_price check (nrc_vat between 0 and nrc and mrc_vat between 0 and mrc),
  add constraint order_items_refund_within_price
    check (refunded between 0 and qty * (nrc + mrc) and refunded_vat between 0 and refunded);

-- Orders from before had their tax split off by whole cents when they were booked, at the account's rate.
update orders o set vat_rate = a.vat_rate from accounts a where a.id = o.account_id and a.vat_rate <> 0;
update order_items i
set nrc_vat = round(i.nrc * o.vat_rate / (100 + o.vat_rate), 2), mrc_vat = round(i.mrc * o.vat_rate / (100 + o.vat_rate), 2)
from orders o where o.id = i.order_id and o.vat_rate <> 0;

-- Until now a canceled order was given back whole, and a number that was given back by itself at its whole price.
update order_items i set refunded = u.units * (i.nrc + i.mrc), refunded_vat = u.units * (i.nrc_vat + i.mrc_vat)
from (select n.order_id, n.position, case o.status when 'canceled' then n.qty else cardinality(n.declined) end as units
      from order_items n join orders o on o.id = n.order_id) u
where u.order_id = i.order_id and u.position = i.position and u.units > 0;
update orders set refunded = amount where status = 'canceled';

-- The proof of tax begins after these: what was booked before was split by another rule.
create table exact_tax_since (
  only_row boolean primary key default true check (only_row),
  ledger_transaction_id bigint not null,
  order_seq bigint not null
);
insert into exact_tax_since (ledger_transaction_id, order_seq)
select coalesce((select max(id) from ledger_transactions), 0), coalesce((select max(seq) from orders), 0);

-- As before, and nothing is earned or refunded without the rate it was taxed with.
create or replace function ledger_entries_apply() returns trigger language plpgsql as $$
begin
  if exists (select 1 from added group by transaction_id having sum(amount) <> 0) or exists (
    select 1 from added join ledger_transactions t on t.id = added.transaction_id
    where t.account_id <> added.account_id
  ) then
    raise exception 'ledger entries that do not balance, or are of another account than their transaction'
      using errcode = 'check_violation';
  end if;
  if exists (
    select 1 from added join ledger_transactions t on t.id = added.transaction_id
    where added.ledger in ('revenue', 'vat', 'refunds') and t.vat_rate is null
  ) then
    raise exception 'a ledger transaction that earns or refunds names its VAT rate' using errcode = 'check_violation';
  end if;
  update accounts a set balance = a.balance + moved.amount
  from (select account_id, sum(amount) as amount from added where ledger = 'customer' group by account_id) moved
  where a.id = moved.account_id;
  return null;
end $$;
