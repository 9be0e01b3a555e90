/** What outbound calls of a month earned and cost, by carrier and by the first digits of the called number. */
import { type Kysely, sql } from 'kysely';
import { monthBounds } from '../../../business/billing/calendar.ts';
import type { Schema } from '../../../engines/db/schema.ts';

interface MarginRow {
  carrier: string | null;
  prefix: string;
  calls: number;
  answered: number;
  billed_seconds: number;
  /** Without VAT. */
  revenue: string;
  cost: string;
  margin: string;
}

/**
 * A tech prefix that ends in `#` is left out of the number. Calls whose carrier has no rate are not in the sums of
 * money.
 */
export async function marginReport(db: Kysely<Schema>, month: string, digits: number): Promise<MarginRow[]> {
  const { from, to } = monthBounds(month);
  const { rows } = await sql<MarginRow>`
    select carrier_name as carrier, left(regexp_replace(dst_number, '^.*#', ''), ${digits}::int) as prefix,
           count(*)::int as calls, count(*) filter (where success)::int as answered,
           sum(billing_duration)::int as billed_seconds,
           coalesce(sum(margin + carrier_cost), 0) as revenue, coalesce(sum(carrier_cost), 0) as cost,
           coalesce(sum(margin), 0) as margin
    from cdrs_out where time_start >= ${from} and time_start < ${to}
    group by 1, 2 order by 8, 1, 2`.execute(db);
  return rows;
}
