/** Sends a bill that was issued to the address that the customer wants bills at, as PDF and as e-invoice. */
import type { Kysely } from 'kysely';
import { findBillingProfile } from '../../../business/billing/billing-profile.ts';
import { scheduleMail } from '../../../business/mail/outbox.ts';
import { billPdf } from '../../../business/statements/bill-pdf.ts';
import { findInvoice } from '../../../business/statements/invoice.ts';
import { ublOf, unfitForUbl } from '../../../business/statements/ubl.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';

const mailTask = defineTask<{ invoice_id: string }>('money.mail_bill', { priority: 'callbacks' });

/** In the transaction that issues it. */
export async function scheduleBillMail(trx: Kysely<Schema>, env: Environment, id: string): Promise<void> {
  if (env.mailer === null) return;
  await env.jobs.add(trx, mailTask, { invoice_id: id }, { key: `${mailTask.name}:${id}` });
}

export const mailBill = handle(mailTask, async ({ invoice_id: id }, { env }: TaskContext<Environment>) => {
  const invoice = await findInvoice(env, id, null);
  if (invoice === null) return;
  const { account_id: accountId, kind, reference, document } = invoice;
  const to = (await findBillingProfile(env.db, accountId))?.email;
  if (to == null) return;
  const what = kind === 'invoice' ? 'Invoice' : 'Credit note';
  const pdf = await billPdf(document);
  const xml = unfitForUbl(document) === null ? [Buffer.from(ublOf(document))] : [];
  const attachments = [
    { filename: `${reference}.pdf`, contentType: 'application/pdf', content: pdf.toString('base64') },
    ...xml.map((file) => ({
      ...{ filename: `${reference}.xml`, contentType: 'application/xml', content: file.toString('base64') },
    })),
  ];
  const { total, currency, seller, from, to: until } = document;
  await inTransaction(env.db, async (trx) => {
    await scheduleMail(trx, env, {
      ...{ kind: 'bill', accountId, to, attachments },
      subject: `${what} ${reference}: ${total} ${currency}`,
      text: `${what} ${reference} of ${seller.name} for ${from} to ${until}: ${total} ${currency}.

${kind === 'invoice' ? 'It is paid from the balance; nothing is left to pay.' : 'The amount was returned to the balance.'}
${env.publicUrl === null ? '' : `\n${env.publicUrl}/invoices\n`}`,
    });
  });
});
