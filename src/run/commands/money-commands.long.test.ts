/** Commands of money: price lists, prices of single accounts, refunds, invoices, statements, erasing. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openCommandPlace, run, runConfirmed } from '../../../test/support/commands.ts';
import { useOpened } from '../../../test/support/use.ts';
import { chargePeriod } from '../../business/billing/charge-period.ts';
import { parseAmount } from '../../business/money/decimal.ts';
import { fund } from '../../business/money/ledger.ts';
import { createDatabase, createPool } from '../../engines/db/pool.ts';

const place = useOpened(() => openCommandPlace());
const folder = useOpened(async () => {
  const place = await mkdtemp(path.join(tmpdir(), 'trunkline-money-'));
  return { file: (name: string) => path.join(place, name), close: () => rm(place, { recursive: true }) };
});

const actions = async () =>
  JSON.parse((await run('audit list', '--json')).join('')).map((entry: { action: string }) => entry.action);

test('a price list is tried, imported and exported; an account pays another price', async () => {
  const deck = folder.file('deck.csv');
  await writeFile(deck, 'prefix,per_minute\n44,0.01\n49,0.02\n');
  const tried = await run('prices import', 'termination', deck, '--dry-run', '--json');
  expect(JSON.parse(tried.join(''))).toMatchObject([
    { line: '2', change: 'new', subject: '44' },
    { line: '3', change: 'new', subject: '49' },
  ]);
  expect(await run('prices list', '--json')).toEqual(['[]']);
  const [said = ''] = await run('prices import', 'termination', deck, '--reason', 'summer');
  expect(said).toMatch(/: 2 new, 0 changed, 0 removed, 0 unchanged\.$/);
  expect((await run('prices export', 'termination')).join('\n')).toContain('44,0.010000');
  await writeFile(deck, 'prefix,per_minute\n44,free\n');
  await expect(run('prices import', 'termination', deck)).rejects.toThrow('line 2: per_minute is "free"');
  await expect(run('prices import', 'termination', folder.file('none.csv'))).rejects.toThrow('ENOENT');

  await writeFile(deck, 'prefix,per_minute\n44,0.03\n');
  const [planned = ''] = await run('prices import', 'termination', deck, '--valid-from', '2999-01-01');
  const [, id = ''] = /Price list (\S+):/.exec(planned) ?? [];
  await run('prices withdraw', id);
  await expect(run('prices withdraw', id)).rejects.toThrow('withdrawn');
  await run('account create', 'Acme', '--balance', '10');
  await run('price-adjustments set', 'Acme', 'termination', '--percent=-10');
  await run('price-adjustments set', 'Acme', 'termination', '--fixed', '0.5');
  const [adjusted] = JSON.parse((await run('price-adjustments list', '--json')).join(''));
  expect(adjusted).toMatchObject({ account: 'Acme', product: 'termination', percent: '', fixed: '0.50' });
  await run('price-adjustments remove', 'Acme', 'termination');
  expect((await actions()).slice(0, 5)).toEqual([
    ...['price_adjustment.changed', 'price_adjustment.changed', 'price_adjustment.changed', 'account.created'],
    'price_list.withdrawn',
  ]);
});

test('statements are printed and written; what is refused says why', async () => {
  const month = new Date().toISOString().slice(0, 7);
  expect((await run('statement show', 'Acme', month)).join('\n')).toContain('closing balance,,,10.0000');
  const file = folder.file('statement.pdf');
  await run('statement show', 'Acme', month, '--format', 'pdf', '--to', file);
  expect((await readFile(file)).subarray(0, 5).toString()).toBe('%PDF-');
  await expect(run('statement show', 'Acme', 'May')).rejects.toThrow('2026-05');
  await expect(run('refund create', 'ABC-000000', '--reason', 'x')).rejects.toThrow('no order');
  await expect(run('invoice issue', 'Acme', '2020-01')).rejects.toThrow('Nothing was charged');
  await expect(run('invoice print', '7', file)).rejects.toThrow('no invoice 7');
  expect(await run('invoice list', '--json')).toEqual(['[]']);
  await expect(runConfirmed('account erase', 'Acme')).rejects.toThrow('Close the account first');
  await runConfirmed('account close', 'Acme');
  const [said] = await runConfirmed('account erase', 'Acme');
  expect(said).toContain('the proof is the erasure');
});

/** An order of 10 and VAT that was paid from the balance. Returns its reference. */
async function paidOrder(account: string, at: Date): Promise<string> {
  const db = createDatabase(createPool(place.url, { max: 1 }));
  try {
    const { id: accountId } = await db
      .selectFrom('accounts')
      .select('id')
      .where('name', '=', account)
      .executeTakeFirstOrThrow();
    const movement = { accountId, at, reference: randomUUID() };
    await fund(db, { ...movement, cause: 'top_up' }, parseAmount('50'));
    const [price, nothing] = ['10', '0'].map((net) => ({
      net: parseAmount(net),
      vat: parseAmount(net) / 5n,
      vatRate: '20.000',
    }));
    if (price === undefined || nothing === undefined) throw new Error('two prices');
    const { orderId } = await chargePeriod(db, {
      ...{
        ...movement,
        cause: 'renewal',
        occasion: 'test',
        order: { kind: 'generic', description: 'A month of numbers' },
      },
      item: { type: 'generic_order_items', qty: 1, setup: price, monthly: nothing, billed_from: null, billed_to: null },
    });
    const order = db.selectFrom('orders').select('reference').where('id', '=', orderId);
    return (await order.executeTakeFirstOrThrow()).reference;
  } finally {
    await db.destroy();
  }
}

test('an item is given back in parts, and the month gets its invoice, which is listed and printed', async () => {
  await run('account create', 'Buyer');
  const lastMonth = new Date();
  lastMonth.setUTCDate(0);
  const month = lastMonth.toISOString().slice(0, 7);
  const reference = await paidOrder('Buyer', lastMonth);
  expect(await run('refund create', reference, '--amount', '2.4', '--reason', 'half a day')).toEqual([
    `Gave back 2.40 of ${reference}.`,
  ]);
  await expect(run('refund create', reference, '--amount', '9.61', '--reason', 'too much')).rejects.toThrow();
  expect(await run('refund create', reference, '--reason', 'all of it')).toEqual([`Gave back 9.60 of ${reference}.`]);
  // Refunds are of this month, so last month's invoice has the whole charge.
  expect(await run('invoice issue', 'Buyer', month, '--reason', 'month end')).toEqual([
    'Issued INV-000001 of Buyer: 12.00 USD.',
  ]);
  await expect(run('invoice issue', 'Buyer', month)).rejects.toThrow('issued already');
  const listed = JSON.parse((await run('invoice list', '--account', 'Buyer', '--json')).join(''));
  expect(listed).toMatchObject([
    { number: 'INV-000001', month, customer: 'Buyer', net: '10.00', vat: '2.00', currency: 'USD' },
  ]);
  const file = folder.file('invoice.pdf');
  expect(await run('invoice print', 'INV-000001', file)).toEqual([`Wrote ${file}.`]);
  expect((await readFile(file)).subarray(0, 5).toString()).toBe('%PDF-');
  expect((await actions()).slice(0, 3)).toEqual(['invoice.issued', 'refund.created', 'refund.created']);
  expect((await run('ledger verify')).filter((line) => !line.startsWith('ok'))).toEqual([]);
});
