/** Issues the bills of an account for a month that has ended: an invoice, and a credit note for what was given back. */
import { type Kysely, sql } from 'kysely';
import { nameOf } from '../../../base/actor.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { withConstraintErrors } from '../../../base/violated-constraint.ts';
import { noAccount } from '../../../business/accounts/accounts.ts';
import { monthBounds } from '../../../business/billing/calendar.ts';
import type { BillKind } from '../../../business/statements/bill-document.ts';
import { type Draft, draftBills } from '../../../business/statements/invoice.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { type Acting, act } from '../act.ts';
import { scheduleBillMail } from './mail-bill.ts';

const series: Readonly<Record<BillKind, { prefix: string; counter: string }>> = {
  invoice: { prefix: 'INV', counter: 'last' },
  credit_note: { prefix: 'CN', counter: 'last_credit_note' },
};

/** Returns the id of the invoice, or of the credit note if the month has no other bill. */
export function issueInvoice(acting: Acting, accountId: string, month: string): Promise<string> {
  const { to } = monthBounds(month);
  const taken = () => new OperatorError(`The invoice for ${month} has been issued already.`);
  return withConstraintErrors({ invoices_month: taken }, () =>
    act(acting, async (env) => {
      const { db, clock } = env;
      if (to > clock.now()) throw new OperatorError(`${month} has not ended yet.`);
      const find = db.selectFrom('accounts').select(['id', 'name']).where('id', '=', accountId);
      const account = await find.executeTakeFirst();
      if (account === undefined) throw noAccount(accountId);
      const issued: Issued[] = [];
      // One after the other: the credit note refers to the invoice of its own month as well.
      for (const kind of ['invoice', 'credit_note'] as const) {
        const draft = (await draftBills(env, account, month)).find(({ document }) => document.kind === kind);
        if (draft === undefined) continue;
        const bill = await insertBill(db, draft, { account, month, acting, at: clock.now() });
        await scheduleBillMail(db, env, bill.id);
        issued.push(bill);
      }
      const [first] = issued;
      if (first === undefined) throw new OperatorError(`Nothing was charged in ${month}.`);
      const after = { month, bills: issued.map(({ reference, total }) => `${reference}: ${total}`) };
      const subject = { type: 'invoices', id: first.id };
      return { result: first.id, action: 'invoice.issued', accountId, subject, after };
    }),
  );
}

interface Issued {
  id: string;
  reference: string;
  total: string;
}

interface Issuing {
  account: { id: string; name: string };
  month: string;
  acting: Acting;
  at: Date;
}

async function insertBill(db: Kysely<Schema>, draft: Draft, { account, month, acting, at }: Issuing): Promise<Issued> {
  const { kind } = draft.document;
  const { prefix, counter } = series[kind];
  const last = sql.ref(counter);
  // Locks the row until the commit: the next bill waits, and a number that is not used is given again.
  const next = await sql<{ number: string }>`
    update invoice_numbers set ${last} = ${last} + 1 returning ${last} as number`.execute(db);
  const number = Number(next.rows[0]?.number);
  const reference = `${prefix}-${String(number).padStart(6, '0')}`;
  const document = { ...draft.document, reference };
  const { id } = await db
    .insertInto('invoices')
    .values({
      ...{ number, kind, reference, account_id: account.id, month: `${month}-01`, customer: document.buyer.name },
      ...{ net: document.net, vat: document.vat, ledger_net: draft.ledger.net, ledger_vat: draft.ledger.vat },
      ...{ lines: JSON.stringify(draft.lines), document: JSON.stringify(document) },
      ...{ actor: nameOf(acting.by), created_at: at },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, reference, total: document.total };
}
