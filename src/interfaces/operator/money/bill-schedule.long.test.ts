/** A year of bills on schedule: previewed, issued once, mailed as files, and equal to the ledger to the cent. */
import { expect, test } from 'vitest';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { startMailServer } from '../../../../test/support/mail-server.ts';
import { addOperator } from '../../../../test/support/operator.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';
import { smtpMailer } from '../../../business/mail/mailer.ts';
import { parseAmount } from '../../../business/money/decimal.ts';
import { byBootstrap } from '../act.ts';
import { planBills } from './bill-schedule.ts';
import { changeBillingProfile } from './billing-profiles.ts';
import { refundOrder } from './refunds.ts';

const smtp = useOpened(startMailServer);
const shop = useOpened(() =>
  openShop({
    ...{ at: '2026-01-10T08:00:00Z', currency: 'EUR', invoiceDay: 2, mailer: smtpMailer(smtp.config) },
    seller: { lines: ['Nummern GmbH', 'Weg 1', '10115 Berlin'], country: 'DE', vatId: 'DE136695976' },
    account: { balance: '500' },
  }),
);
const finance = useMade(() => addOperator(shop, 'finance'));

const profile = {
  ...{ kind: 'company', name: 'Beispiel AG', street: 'Straße 2', city: 'Köln', country: 'DE', vat_id: 'DE129273398' },
  email: 'rechnung@beispiel.test',
};

// Twelve months of jobs take their time on a busy machine.
test('a year of bills', { timeout: 600_000 }, async () => {
  const { env, accountId } = shop;
  const other = await shop.addAccount({ balance: '50' });
  await shop.buyDids('london', 2);
  const preview = async (month: string) =>
    JSON.parse((await finance.client.get(`/invoice_previews?month=${month}`)).text);
  const [unready] = (await preview('2026-01')).bills;
  expect(unready).toMatchObject({ account_id: accountId, problem: expect.stringContaining('no billing profile') });
  await changeBillingProfile(byBootstrap(env), accountId, profile);
  expect((await preview('2026-01')).bills).toMatchObject([{ kind: 'invoice', net: '5.00', problem: null }]);
  await planBills(env);
  for (let month = 0; month < 12; month += 1) {
    if (month === 3) {
      await shop.buyDids('fixed');
      const orders = env.db.selectFrom('orders').select('id').where('account_id', '=', accountId);
      const order = await orders.orderBy('seq').executeTakeFirstOrThrow();
      await refundOrder(byBootstrap(env), order.id, { reason: 'faulty', amount: '1' });
    }
    await advanceClock(env, 31 * 86_400);
  }
  await runDueJobs(env);
  const { rows: bills } = await env.pool.query(
    `select kind, reference, to_char(month, 'YYYY-MM') as month, net, vat, ledger_net, ledger_vat, document, account_id
     from invoices order by kind, number`,
  );
  const invoices = bills.filter(({ kind }) => kind === 'invoice');
  expect(new Set(bills.map(({ account_id }) => account_id))).toEqual(new Set([accountId]));
  expect(invoices.map(({ reference }) => reference)).toEqual(
    invoices.map((_, index) => `INV-${String(index + 1).padStart(6, '0')}`),
  );
  expect(invoices.length).toBeGreaterThanOrEqual(11);
  expect(bills.filter(({ kind }) => kind === 'credit_note')).toHaveLength(1);
  for (const { month, account_id } of invoices) {
    const { rows } = await env.pool.query(
      `select coalesce(sum(e.amount) filter (where e.ledger <> 'vat'), 0)::text as net,
              coalesce(sum(e.amount) filter (where e.ledger = 'vat'), 0)::text as vat
       from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
       where e.account_id = $1 and e.ledger in ('revenue', 'refunds', 'vat')
         and to_char(t.created_at at time zone 'UTC', 'YYYY-MM') = $2`,
      [account_id, month],
    );
    const own = bills.filter((bill) => bill.month === month);
    for (const name of ['net', 'vat'] as const) {
      const sum = (member: string) =>
        own.reduce((total, bill) => {
          const amount = parseAmount(bill[member]);
          return total + (member === name && bill.kind === 'credit_note' ? -amount : amount);
        }, 0n);
      expect([month, name, sum(`ledger_${name}`)]).toEqual([month, name, parseAmount(rows[0][name])]);
      const off = sum(name) - parseAmount(rows[0][name]);
      expect(off < 100n * BigInt(own.length) && off > -100n * BigInt(own.length)).toBe(true);
    }
  }
  expect(invoices[1]?.document.lines[0].description).toMatch(/^Number \+44 20\d+, United Kingdom$/);
  // Each is mailed once, as PDF and as e-invoice.
  expect(smtp.mails).toHaveLength(bills.length);
  expect(smtp.mails[0]).toMatchObject({ to: [profile.email] });
  expect(smtp.mails[0]?.content).toContain('filename=INV-000001.pdf');
  expect(smtp.mails[0]?.content).toContain('filename=INV-000001.xml');
  // A second run, such as after a crash, issues nothing again.
  await planBills(env);
  await runDueJobs(env);
  expect((await env.pool.query('select from invoices')).rowCount).toBe(bills.length);
  expect((await env.pool.query('select from invoices where account_id = $1', [other.accountId])).rowCount).toBe(0);
  await shop.expectCleanBooks();
});

test('what is booked into a month after its bills were issued is on the next ones', async () => {
  const { env, accountId } = shop;
  const { rows } = await env.pool.query(
    `select to_char(month, 'YYYY-MM-DD') as month from invoices where kind = 'invoice' order by month desc limit 1`,
  );
  await env.pool.query(
    `select post_ledger($1, 'renewal', gen_random_uuid(), 'late', null, 19, ($2::date + 10)::timestamptz,
       array['customer', 'revenue', 'vat'], array[-2.38, 2, 0.38])`,
    [accountId, rows[0].month],
  );
  await advanceClock(env, 40 * 86_400);
  const lines = await env.pool.query(
    `select l->>'net' as net from invoices, jsonb_array_elements(document->'lines') l
     where l->>'description' like 'Booked late%'`,
  );
  expect(lines.rows).toEqual([{ net: '2.00' }]);
});
