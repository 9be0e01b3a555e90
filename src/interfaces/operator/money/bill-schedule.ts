/**
 * The bills of a month for every account: what would be issued, issuing it, and doing so on a day of the next month.
 * An account without a billing profile is left out until it has one, since a bill can never be completed later.
 */
import { sql } from 'kysely';
import { OperatorError } from '../../../base/operator-error.ts';
import { dayOf, monthBounds, monthsLater } from '../../../business/billing/calendar.ts';
import type { BillKind } from '../../../business/statements/bill-document.ts';
import { draftBills } from '../../../business/statements/invoice.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask, jobActor } from '../../../engines/jobs/task.ts';
import type { Acting } from '../act.ts';
import { issueInvoice } from './issue-bills.ts';

const issueTask = defineTask('money.issue_bills', { priority: 'background' });
const hourUtc = 4;

interface Candidate {
  id: string;
  name: string;
  has_profile: boolean;
}

/** Accounts that were charged or refunded in the month and have no bill for it. */
async function candidates({ db }: Environment, month: string): Promise<Candidate[]> {
  const { from, to } = monthBounds(month);
  const { rows } = await sql<Candidate>`
    select a.id, a.name, exists (select from billing_profiles b where b.account_id = a.id) as has_profile
    from accounts a
    where exists (select from ledger_transactions t
        where t.account_id = a.id and t.created_at >= ${from} and t.created_at < ${to} and t.vat_rate is not null
          and exists (select from ledger_entries e where e.transaction_id = t.id and e.ledger in ('revenue', 'refunds')))
      and not exists (select from invoices i where i.account_id = a.id and i.month = ${`${month}-01`}::date)
    order by a.name`.execute(db);
  return rows;
}

interface PlannedBill {
  account_id: string;
  account: string;
  kind: BillKind;
  net: string;
  vat: string;
  total: string;
  /** Why it will not be issued on schedule. */
  problem: string | null;
}

/** Issues nothing. */
export async function previewBills(env: Environment, month: string): Promise<PlannedBill[]> {
  const planned: PlannedBill[] = [];
  for (const { id, name, has_profile } of await candidates(env, month)) {
    for (const { document } of await draftBills(env, { id, name }, month)) {
      const { kind, net, vat, total } = document;
      const problem = has_profile ? null : 'The account has no billing profile.';
      planned.push({ account_id: id, account: name, kind, net, vat, total, problem });
    }
  }
  return planned;
}

/** Returns how many accounts got bills. Each account has a transaction of its own; what fails keeps nobody waiting. */
export async function issueAllBills(acting: Acting, month: string): Promise<number> {
  const { env } = acting;
  if (monthBounds(month).to > env.clock.now()) throw new OperatorError(`${month} has not ended yet.`);
  let issued = 0;
  for (const { id, has_profile } of await candidates(env, month)) {
    if (!has_profile) continue;
    try {
      await issueInvoice(acting, id, month);
      issued += 1;
    } catch (error) {
      // Another process was first, or the charges of the month cancel out.
      if (!(error instanceof OperatorError)) env.log.error({ err: error, account: id, month }, 'a bill was not issued');
    }
  }
  return issued;
}

/** Plans the next run, once: a second call replaces the same job. A day that has passed unused is made up for now. */
export async function planBills(env: Environment): Promise<void> {
  if (env.invoiceDay === 0) return;
  const at = runOf(env, monthOf(env.clock.now()));
  await env.jobs.add(env.db, issueTask, {}, { at, key: issueTask.name });
}

export const issueDueBills = handle(issueTask, async (_payload, { env }: TaskContext<Environment>) => {
  if (env.invoiceDay === 0) return;
  const month = monthOf(env.clock.now());
  if (runOf(env, month) <= env.clock.now()) {
    await issueAllBills({ env, by: jobActor(issueTask) }, monthBefore(month));
  }
  const next = runOf(env, monthOf(monthBounds(month).to));
  await env.jobs.add(env.db, issueTask, {}, { at: next, key: issueTask.name });
});

/** When the bills of the month before this one are issued. */
const runOf = ({ invoiceDay }: Environment, month: string): Date =>
  new Date(Date.parse(`${month}-${String(invoiceDay).padStart(2, '0')}T00:00:00Z`) + hourUtc * 3_600_000);

const monthOf = (moment: Date): string => dayOf(moment).slice(0, 7);
const monthBefore = (month: string): string => monthsLater(`${month}-01`, -1).slice(0, 7);
