/** What the ledger booked for an account, by cause and rate: in a month, and late in months that were billed before. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';
import { monthBounds } from '../billing/calendar.ts';

export interface CauseSum {
  cause: string;
  vat_rate: string;
  net: string;
  vat: string;
}

const sums = sql.raw(`
  coalesce(sum(e.amount) filter (where e.ledger <> 'vat'), 0) as net,
  coalesce(sum(e.amount) filter (where e.ledger = 'vat'), 0) as vat`);
const taxed = sql.raw(`e.ledger in ('revenue', 'refunds', 'vat')`);

export async function causesOf(db: Kysely<Schema>, accountId: string, month: string): Promise<CauseSum[]> {
  const { from, to } = monthBounds(month);
  const { rows } = await sql<CauseSum>`
    select t.cause, t.vat_rate::text, ${sums}
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
    where t.account_id = ${accountId} and t.created_at >= ${from} and t.created_at < ${to} and ${taxed}
    group by t.cause, t.vat_rate order by t.cause, t.vat_rate`.execute(db);
  return rows;
}

/**
 * What was booked into an earlier month after its bills were issued, such as a renewal while no worker ran: what the
 * ledger has of all billed months, less what their bills say. The next bills have it.
 */
export async function lateCauses(db: Kysely<Schema>, accountId: string, month: string): Promise<CauseSum[]> {
  const before = sql`account_id = ${accountId} and month < ${`${month}-01`}::date`;
  const { rows } = await sql<CauseSum>`
    with booked as (
      select t.cause, t.vat_rate, ${sums}
      from (select distinct month from invoices where ${before}) b
      join ledger_transactions t on t.account_id = ${accountId}
        and t.created_at >= b.month::timestamp at time zone 'UTC'
        and t.created_at < (b.month + interval '1 month') at time zone 'UTC'
      join ledger_entries e on e.transaction_id = t.id and ${taxed}
      group by t.cause, t.vat_rate
    ), billed as (
      select l->>'cause' as cause, (l->>'vat_rate')::numeric as vat_rate, sum((l->>'net')::numeric) as net,
             sum((l->>'vat')::numeric) as vat
      from invoices, jsonb_array_elements(lines) l where ${before} group by 1, 2
    )
    select cause, vat_rate::numeric(6, 3)::text, (coalesce(booked.net, 0) - coalesce(billed.net, 0))::text as net,
           (coalesce(booked.vat, 0) - coalesce(billed.vat, 0))::text as vat
    from booked full join billed using (cause, vat_rate)
    where (coalesce(booked.net, 0), coalesce(booked.vat, 0)) <> (coalesce(billed.net, 0), coalesce(billed.vat, 0))
    order by 1, 2`.execute(db);
  return rows;
}
