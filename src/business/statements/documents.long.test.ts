/** Statements and invoices as customers and operators get them: JSON, CSV and PDF, each account its own. */
import { extractText, getDocumentProxy } from 'unpdf';
import { expect, test } from 'vitest';
import { addOperator } from '../../../test/support/operator.ts';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { openShop } from '../../../test/support/shop.ts';
import { useMade, useOpened } from '../../../test/support/use.ts';
import { byBootstrap } from '../../interfaces/operator/act.ts';
import { changeBillingProfile } from '../../interfaces/operator/money/billing-profiles.ts';
import { issueInvoice } from '../../interfaces/operator/money/issue-bills.ts';
import { refundOrder } from '../../interfaces/operator/money/refunds.ts';
import { findInvoice } from './invoice.ts';
import { makePdf } from './pdf-document.ts';

const customer = { name: 'Ćwikła & Σία ООО', ...login };
const shop = useOpened(() =>
  openShop({
    at: '2026-05-20T08:00:00Z',
    currency: 'EUR',
    seller: { lines: ['Nummern GmbH', 'Weg 1', '10115 Berlin'], country: 'DE', vatId: 'DE136695976' },
    account: { vatRate: '20', balance: '100', ...customer },
  }),
);
const operator = useMade(() => addOperator(shop, 'read-only'));
const invoice = useMade(async () => {
  const profile = {
    ...{ kind: 'person', name: customer.name, street: '1 rue du Test', city: 'Paris', country: 'FR' },
    ...{ postal_code: '75001', purchase_order: 'PO-7' },
  };
  await changeBillingProfile(byBootstrap(shop.env), shop.accountId, profile);
  await shop.buyDids('london', 2);
  shop.clock.advance(20 * 86_400);
  return { id: await issueInvoice(byBootstrap(shop.env), shop.accountId, '2026-05') };
});
// After the clock has moved, since sessions end.
const browser = useMade(async () => {
  const client = new PanelClient(shop.url);
  await client.signIn();
  return client;
});

/** The text of all pages, read by another library than the one that made them. */
async function textOf(file: ArrayBuffer | Buffer): Promise<{ text: string; pages: number }> {
  const { text, totalPages: pages } = await extractText(await getDocumentProxy(new Uint8Array(file)));
  return { text: text.join('\n'), pages };
}

const fetched = async (path: string, headers: Record<string, string>) => {
  const response = await fetch(`${shop.url}${path}`, { headers });
  const type = response.headers.get('content-type');
  return { status: response.status, type, file: await response.arrayBuffer(), headers: response.headers };
};
const asCustomer = (path: string) => fetched(`/panel/v1${path}`, { cookie: browser.cookie });
const asOperator = (path: string) => fetched(`/operator/v1${path}`, { 'api-key': operator.key });

test('an invoice is a file with the seller, the customer in any alphabet, and every sum', async () => {
  const { resources } = await browser.get('/panel/v1/invoices');
  expect(resources.map(({ id }) => id)).toEqual([invoice.id]);
  const attributes = { number: 1, month: '2026-05', net: '5.0', vat: '1.0', total: '6.0', currency: 'EUR' };
  expect(resources[0]?.attributes).toMatchObject({ ...attributes, kind: 'invoice', reference: 'INV-000001' });
  const path = `/invoices/${invoice.id}.pdf`;
  const files = [await asCustomer(path), await asOperator(path)];
  for (const { status, type, file, headers } of files) {
    expect([status, type]).toEqual([200, 'application/pdf']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="invoice-INV-000001.pdf"');
    const { text, pages } = await textOf(file);
    expect(pages).toBe(1);
    const parts = [
      'Invoice',
      'INV-000001',
      'Nummern GmbH',
      'VAT id DE136695976',
      customer.name,
      '75001 Paris',
      'France',
    ];
    for (const part of [...parts, '9 Jun 2026', '20 May 2026 – 19 Jun 2026', 'PO-7', '20 %', '5.00', 'EUR 6.00']) {
      expect(text).toContain(part);
    }
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(/Numbers, United Kingdom: \+44 20\d+, \+44 20\d+ 20 May/);
  }
});

test('a statement is the same in all forms', async () => {
  const query = `month=2026-05`;
  const statement = JSON.parse(Buffer.from((await asCustomer(`/statements?${query}`)).file).toString());
  expect(statement).toMatchObject({ opening: '0.0000', closing: '94.0000', currency: 'EUR' });
  const csv = Buffer.from((await asCustomer(`/statements.csv?${query}`)).file).toString();
  expect(csv).toContain(',,closing balance,,,94.0000,,,,EUR');
  const { text } = await textOf((await asCustomer(`/statements.pdf?${query}`)).file);
  for (const part of ['Statement 2026-05', customer.name, '94.00', 'opening balance', '-6.00']) {
    expect(text).toContain(part);
  }
  const same = await textOf((await asOperator(`/statements.pdf?account=${shop.accountId}&${query}`)).file);
  expect(same.text).toBe(text);
  expect((await asCustomer('/statements')).status).toBe(400);
  expect((await asCustomer('/statements.pdf?month=May')).status).toBe(400);
});

test('the same invoice for programs, and a credit note for what is given back later', async () => {
  const xml = await asCustomer(`/invoices/${invoice.id}.xml`);
  expect([xml.status, xml.type]).toEqual([200, 'application/xml; charset=utf-8']);
  expect(Buffer.from(xml.file).toString()).toContain('<cbc:TaxInclusiveAmount currencyID="EUR">6.00<');
  const order = await shop.env.db.selectFrom('orders').select('id').executeTakeFirstOrThrow();
  await refundOrder(byBootstrap(shop.env), order.id, { reason: 'faulty', amount: '1.2' });
  shop.clock.advance(25 * 86_400);
  const id = await issueInvoice(byBootstrap(shop.env), shop.accountId, '2026-06');
  const note = await findInvoice(shop.env, id, shop.accountId);
  expect(note).toMatchObject({
    ...{ kind: 'credit_note', reference: 'CN-000001' },
    document: { corrects: [{ reference: 'INV-000001' }], net: '1.00', vat: '0.20', total: '1.20' },
  });
  expect(note?.document.lines[0]?.description).toMatch(/^Refund: Numbers, .+, order [A-Z]{3}-\d{6}$/);
  const { text } = await textOf((await asOperator(`/invoices/${id}.pdf`)).file);
  for (const part of ['Credit note', 'CN-000001', 'INV-000001', 'EUR 1.20']) expect(text).toContain(part);
});

test("another account's invoices are not there, nor are those that nobody has", async () => {
  const theirs = { email: 'else@other.test', password: 'another long password' };
  await shop.addAccount(theirs);
  const stranger = new PanelClient(shop.url);
  await stranger.signIn(theirs);
  expect((await stranger.get('/panel/v1/invoices')).resources).toEqual([]);
  for (const form of ['pdf', 'xml']) {
    const file = await fetched(`/panel/v1/invoices/${invoice.id}.${form}`, { cookie: stranger.cookie });
    expect(file.status).toBe(404);
  }
  expect((await asOperator('/invoices/00000000-0000-4000-8000-000000000000.pdf')).status).toBe(404);
  expect((await asOperator('/invoices/x.pdf')).status).toBe(404);
});

test('a long table goes on on further pages, each with its head and its number', async () => {
  const rows = Array.from({ length: 300 }, (_, n) => [
    `row ${n}`,
    'a text that is longer than its column is wide '.repeat(3),
  ]);
  const columns = [
    { title: 'Name', width: 295 },
    { title: 'Value', width: 200 },
  ];
  const file = await makePdf({
    ...{ title: 'Long', at: new Date('2026-05-01T00:00:00Z'), seller: [], facts: [] },
    tables: [{ title: 'Rows', columns, rows }],
  });
  const { text, pages } = await textOf(file);
  expect(pages).toBeGreaterThan(5);
  expect(text).toContain(`${pages} / ${pages}`);
  expect(text.split('Name').length - 1).toBe(pages);
  for (const [name = ''] of rows) expect(text).toContain(name);
});
