/**
 * What moved an account's balance in one month, from the ledger alone: opening, every movement, sums by cause, closing.
 */
import { sql } from 'kysely';
import type { Environment } from '../../engines/environment.ts';
import { monthBounds } from '../billing/calendar.ts';

interface StatementLine {
  movement: string;
  at: Date;
  cause: string;
  reference: string;
  order: string | null;
  /** On the balance; what is put on hold counts as taken. */
  amount: string;
  net: string;
  vat: string;
  vat_rate: string | null;
}

interface StatementSum {
  cause: string;
  count: number;
  amount: string;
  /** Earned, less what was given back. */
  net: string;
  vat: string;
}

export interface Statement {
  month: string;
  /** ISO 4217. */
  currency: string;
  opening: string;
  closing: string;
  sums: StatementSum[];
  lines: StatementLine[];
}

const amounts = sql.raw(`
  coalesce(sum(e.amount) filter (where e.ledger = 'customer'), 0) as amount,
  coalesce(sum(e.amount) filter (where e.ledger in ('revenue', 'refunds')), 0) as net,
  coalesce(sum(e.amount) filter (where e.ledger = 'vat'), 0) as vat`);

export async function statementOf(
  { db, currency }: Pick<Environment, 'db' | 'currency'>,
  accountId: string,
  month: string,
): Promise<Statement> {
  const { from, to } = monthBounds(month);
  const inMonth = sql`
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
    where t.account_id = ${accountId} and t.created_at >= ${from} and t.created_at < ${to}`;
  const { rows: lines } = await sql<StatementLine>`
    select t.id::text as movement, t.created_at as at, t.cause, t.reference::text,
           (select o.reference from orders o where o.id = t.order_id) as "order", t.vat_rate, ${amounts}
    ${inMonth} group by t.id order by t.created_at, t.id`.execute(db);
  const { rows: sums } = await sql<StatementSum>`
    select t.cause, count(distinct t.id)::int as count, ${amounts} ${inMonth} group by t.cause order by t.cause`.execute(
    db,
  );
  const { rows: balances } = await sql<{ opening: string; closing: string }>`
    select coalesce(sum(e.amount) filter (where t.created_at < ${from}), 0)::numeric(18, 4) as opening,
           coalesce(sum(e.amount), 0)::numeric(18, 4) as closing
    from ledger_transactions t join ledger_entries e on e.transaction_id = t.id and e.ledger = 'customer'
    where t.account_id = ${accountId} and t.created_at < ${to}`.execute(db);
  const { opening = '0.0000', closing = '0.0000' } = balances[0] ?? {};
  return { month, currency, opening, closing, sums, lines };
}
