-- Invoices say everything a bill needs, and credit notes stand beside them, each in a series of its own.
alter table invoices drop constraint invoices_number_key, drop constraint invoices_month;
alter table invoices
  add column kind text not null default 'invoice' check (kind in ('invoice', 'credit_note')),
  -- As it is printed, such as INV-000012; null for those of before, which have their number alone.
  add column reference text unique,
  -- What the ledger booked, exactly; negative for a credit note. The other amounts are in hundredths. Null for those of
  -- before, whose amounts are exact.
  add column ledger_net numeric(18, 4),
  add column ledger_vat numeric(18, 4),
  -- What the bill says, as src/business/statements/bill-document.ts has it. Null for those of before.
  add column document jsonb,
  add constraint invoices_number unique (kind, number),
  add constraint invoices_month unique (account_id, month, kind);
-- The series of credit notes.
alter table invoice_numbers add column last_credit_note bigint not null default 0;
