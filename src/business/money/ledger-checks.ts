/** The invariants of the ledger as queries, and their verification on one snapshot without blocking other work. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../engines/db/schema.ts';

interface LedgerCheck {
  name: string;
  /** Returns one row per violation, with enough columns to find it. */
  sql: string;
}

/** Per order: its cost minus refunds, what the customer paid, what is on hold, and the booked tax. */
const orderMoney = `
  select o.id, o.reference, o.status, o.amount - o.refunded as price,
         coalesce(-sum(e.amount) filter (where e.ledger = 'customer'), 0) as paid,
         coalesce(sum(e.amount) filter (where e.ledger = 'holds'), 0) as held,
         coalesce(sum(e.amount) filter (where e.ledger = 'vat'), 0) as tax,
         coalesce(min(t.id) filter (where e.ledger = 'revenue'), max(t.id)) as earned_by
  from orders o
    left join ledger_transactions t on t.order_id = o.id
    left join ledger_entries e on e.transaction_id = t.id
  group by o.id`;

/**
 * Bookings before the exact rule (`exact_tax_since`) were taxed by whole cents of the sum and are exempt from the
 * check.
 */
const lastOldBooking = '(select ledger_transaction_id from exact_tax_since)';
const lastOldOrder = '(select order_seq from exact_tax_since)';

/**
 * Tax of one unit by the rule of src/business/billing/vat.ts: rounded to whole cents or to four decimals, like its list
 * price.
 */
const wrongTax = (gross: string, vat: string) =>
  `${vat} not in (round((${gross} - ${vat}) * o.vat_rate / 100, 2), round((${gross} - ${vat}) * o.vat_rate / 100, 4))`;

/** Causes of metered charges, with four decimals of tax. */
const metered = `'verification_fee', 'verification_message', 'metered_minutes', 'call_charge'`;

/** Causes of automatic charges, each of which has an order that shows it. */
const renewals = `'renewal', 'restoration', 'pool_renewal', 'emergency', 'emergency_renewal'`;

export const ledgerChecks: readonly LedgerCheck[] = [
  {
    name: 'every transaction sums to zero and has at least two entries',
    sql: `select t.id as transaction, count(e.amount) as entries, coalesce(sum(e.amount), 0) as sum
          from ledger_transactions t left join ledger_entries e on e.transaction_id = t.id
          group by t.id having count(e.amount) < 2 or sum(e.amount) <> 0`,
  },
  {
    name: 'every entry is of the account of its transaction',
    sql: `select e.transaction_id as transaction, e.account_id as account
          from ledger_entries e join ledger_transactions t on t.id = e.transaction_id where e.account_id <> t.account_id`,
  },
  {
    name: 'every balance is the sum of its entries',
    sql: `select a.id as account, a.balance, coalesce(e.sum, 0) as entries
          from accounts a
            left join (select account_id, sum(amount) from ledger_entries where ledger = 'customer' group by 1) e
              on e.account_id = a.id
          where a.balance <> coalesce(e.sum, 0)`,
  },
  {
    name: 'every completed order was paid exactly, and nothing of it is kept aside',
    sql: `select * from (${orderMoney}) o where status = 'completed' and (paid <> price or held <> 0)`,
  },
  {
    name: 'every pending order has its whole amount kept aside',
    sql: `select * from (${orderMoney}) o where status = 'pending' and (paid <> price or held <> price)`,
  },
  {
    name: 'every canceled order kept only what was not given back, and nothing of it is kept aside',
    sql: `select * from (${orderMoney}) o where status = 'canceled' and (paid <> price or held <> 0)`,
  },
  {
    name: 'the amount of every order is the sum of its items',
    sql: `select o.id, o.amount, sum(i.qty * (i.nrc + i.mrc)) as items
          from orders o left join order_items i on i.order_id = o.id
          group by o.id having o.amount is distinct from sum(i.qty * (i.nrc + i.mrc))`,
  },
  {
    name: 'every order gave back what was given back of its items',
    sql: `select o.id, o.refunded, sum(i.refunded) as items from orders o join order_items i on i.order_id = o.id
          group by o.id having o.refunded <> sum(i.refunded)`,
  },
  {
    name: 'the tax of every price is by the rule',
    sql: `select o.id, i.position, o.vat_rate, i.nrc, i.nrc_vat, i.mrc, i.mrc_vat
          from orders o join order_items i on i.order_id = o.id
          where o.seq > ${lastOldOrder} and (${wrongTax('i.nrc', 'i.nrc_vat')} or ${wrongTax('i.mrc', 'i.mrc_vat')})`,
  },
  {
    name: 'the tax booked for every order is the tax it charged',
    sql: `select o.id, o.status, o.tax as booked, i.tax as charged
          from (${orderMoney}) o
            join (select order_id, sum(qty * (nrc_vat + mrc_vat) - refunded_vat) as tax from order_items group by 1) i
              on i.order_id = o.id
          where o.earned_by > ${lastOldBooking}
            and o.tax <> case o.status when 'pending' then 0 else i.tax end`,
  },
  {
    name: 'the tax booked for every fee and call is the tax it charged',
    sql: `select t.id as transaction, t.cause, t.vat_rate, r.amount as net, coalesce(v.amount, 0) as tax
          from ledger_transactions t
            join ledger_entries r on r.transaction_id = t.id and r.ledger = 'revenue'
            left join ledger_entries v on v.transaction_id = t.id and v.ledger = 'vat'
          where t.id > ${lastOldBooking} and t.cause in (${metered})
            and coalesce(v.amount, 0) is distinct from round(r.amount * t.vat_rate / 100, 4)`,
  },
  {
    name: 'every call was charged what its CDRs say',
    sql: `select coalesce(c.reference, d.reference) as cdr, c.amount as charged, d.amount as told
          from (select t.reference, -sum(e.amount) as amount
                from ledger_transactions t join ledger_entries e on e.transaction_id = t.id and e.ledger = 'customer'
                where t.cause in ('metered_minutes', 'call_charge') group by 1) c
            full join (
              select id as reference, price as amount from cdrs_out where price > 0
              union all
              select (array_agg(id) filter (where is_last))[1],
                     sum(toll_free_amount + pstn_amount + metered_amount + cnam_amount)
              from cdrs_in group by call_id
              having sum(toll_free_amount + pstn_amount + metered_amount + cnam_amount) > 0) d
            on d.reference = c.reference
          where c.amount is distinct from d.amount`,
  },
  {
    name: 'every charge that names an order belongs to one of the same account',
    sql: `select t.id as transaction, t.order_id from ledger_transactions t left join orders o on o.id = t.order_id
          where t.order_id is not null and o.account_id is distinct from t.account_id`,
  },
  {
    name: 'every renewal, restoration and emergency charge has exactly one order',
    sql: `select t.id as transaction, t.cause, t.reference, t.occasion from ledger_transactions t
          where t.cause in (${renewals}) and t.order_id is null
          union all
          select min(t.id), min(t.cause), t.order_id, 'charged ' || count(*) || ' times' from ledger_transactions t
          where t.cause in (${renewals}) and t.order_id is not null
          group by t.order_id having count(*) > 1`,
  },
  {
    name: 'no number was renewed more often than it has periods',
    sql: `select d.number, d.periods, count(*) as renewals
          from dids d join ledger_transactions t
            on t.cause = 'renewal' and t.reference = d.id and t.created_at > d.billed_since
          group by d.id having count(*) > d.periods - 1`,
  },
  {
    name: 'every month of a number after its first has its order',
    sql: `select d.number, d.periods, count(o.id) as renewals
          from dids d left join orders o on o.account_id = d.account_id and o.kind = 'generic'
            and o.description = 'DID renewal ' || d.number and o.created_at > d.billed_since
          where d.periods > 1
          group by d.id having count(o.id) <> d.periods - 1`,
  },
  {
    name: 'no number is owned twice',
    sql: 'select number, count(*) as owners from dids group by number having count(*) > 1',
  },
  {
    name: 'no number is both owned and available',
    sql: 'select d.number, d.account_id as account from dids d join available_dids a on a.number = d.number',
  },
  {
    name: 'no order has more numbers than it paid for, and a finished one misses none',
    sql: `select i.order_id, i.position, i.qty, i.missing, i.declined, count(d.id) as numbers
          from order_items i join orders o on o.id = i.order_id
            left join dids d on d.order_id = i.order_id and d.order_position = i.position
              and d.number <> all (i.declined)
          where i.type = 'did_order_items'
          group by i.order_id, i.position, o.status
          having count(d.id) + i.missing + cardinality(i.declined) > i.qty or (o.status <> 'pending' and i.missing > 0)
            or (o.status = 'canceled' and count(d.id) > 0)`,
  },
  {
    name: 'accounts, trunks and classes of destinations hold what their calls hold',
    sql: `select 'account' as what, a.id::text as of, a.held, coalesce(sum(o.held), 0) as by_calls
          from accounts a left join open_calls o on o.account_id = a.id
          group by a.id having a.held <> coalesce(sum(o.held), 0)
          union all
          select 'trunk', t.id::text, t.held, coalesce(sum(o.held), 0)
          from voice_out_trunks t left join open_calls o on o.trunk_id = t.id and o.direction = 'out'
          group by t.id having t.held <> coalesce(sum(o.held), 0)
          union all
          select 'class', s.account_id || ' ' || s.risk || ' ' || s.day, s.held, coalesce(sum(o.held), 0)
          from risk_spending s left join open_calls o
            on o.account_id = s.account_id and o.risk = s.risk and call_day(o.time_start) = s.day
          group by s.account_id, s.risk, s.day having s.held <> coalesce(sum(o.held), 0)`,
  },
  {
    name: 'every pool counts the channels it has assigned, and has as many',
    sql: `select p.id as pool, p.total_channels_count as total, p.assigned_channels_count as counted, s.assigned
          from capacity_pools p, lateral (select
            coalesce((select sum(d.dedicated_channels_count) from dids d where d.capacity_pool_id = p.id), 0)
            + coalesce((select sum(g.shared_channels_count) from shared_capacity_groups g
                        where g.capacity_pool_id = p.id), 0) as assigned) s
          where s.assigned <> p.assigned_channels_count or s.assigned > p.total_channels_count`,
  },
];

interface CheckResult {
  name: string;
  /** The first violations; empty if the invariant holds. */
  offences: Record<string, unknown>[];
}

const shown = 20;

export function verifyLedger(db: Kysely<Schema>): Promise<CheckResult[]> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      const results: CheckResult[] = [];
      for (const { name, sql: text } of ledgerChecks) {
        const { rows } = await sql<Record<string, unknown>>`${sql.raw(text)} limit ${sql.raw(String(shown))}`.execute(
          trx,
        );
        results.push({ name, offences: rows });
      }
      return results;
    });
}
