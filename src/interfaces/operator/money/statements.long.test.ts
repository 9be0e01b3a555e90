/**
 * Money of operators: random months whose statements equal the ledger; invoices without gaps; refunds; the nightly
 * proof.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { advanceClock, createTestEnvironment } from '../../../../test/support/environment.ts';
import { addOperator } from '../../../../test/support/operator.ts';
import { didItem, postOrder } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';
import { createAccount } from '../../../business/accounts/accounts.ts';
import { chargePeriod } from '../../../business/billing/charge-period.ts';
import { formatCents, free, parseAmount } from '../../../business/money/decimal.ts';
import { verifyLedger } from '../../../business/money/ledger-checks.ts';
import { statementOf } from '../../../business/statements/statement.ts';
import type { Environment } from '../../../engines/environment.ts';
import { byBootstrap } from '../act.ts';
import { adjustBalance, topUp } from '../adjustments.ts';
import { addPriceAdjustment, changePriceAdjustment } from '../pricing/price-adjustments.ts';
import { issueInvoice } from './issue-bills.ts';
import { refundOrder } from './refunds.ts';
import { keepVerification } from './verify-books.ts';

const offences = async (env: Parameters<typeof keepVerification>[0]) =>
  (await verifyLedger(env.db)).filter((check) => check.offences.length > 0);

/** The same numbers for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

const sum = (values: readonly string[]) => values.reduce((total, value) => total + parseAmount(value), 0n);

/** The lines, sums and balances of every month are those of the ledger. Returns the lines by month. */
async function expectLedgerOf(env: Environment, accountId: string, months: readonly string[]) {
  let balance = 0n;
  const linesOf = new Map<string, Awaited<ReturnType<typeof statementOf>>['lines']>();
  for (const month of months) {
    const { opening, closing, lines, sums } = await statementOf(env, accountId, month);
    const { rows } = await env.pool.query(
      `select coalesce(sum(e.amount) filter (where e.ledger = 'customer'), 0)::numeric(18, 4)::text as amount,
              coalesce(sum(e.amount) filter (where e.ledger in ('revenue', 'refunds')), 0)::numeric(18, 4)::text as net,
              coalesce(sum(e.amount) filter (where e.ledger = 'vat'), 0)::numeric(18, 4)::text as vat
       from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
       where e.account_id = $1 and to_char(t.created_at at time zone 'UTC', 'YYYY-MM') = $2`,
      [accountId, month],
    );
    for (const name of ['amount', 'net', 'vat'] as const) {
      const booked = parseAmount(rows[0][name]);
      expect([month, name, sum(lines.map((line) => line[name]))]).toEqual([month, name, booked]);
      expect([month, name, sum(sums.map((line) => line[name]))]).toEqual([month, name, booked]);
    }
    expect(parseAmount(opening)).toBe(balance);
    balance += sum(lines.map(({ amount }) => amount));
    expect(parseAmount(closing)).toBe(balance);
    linesOf.set(month, lines);
  }
  const account = env.db.selectFrom('accounts').select('balance').where('id', '=', accountId);
  expect(parseAmount((await account.executeTakeFirstOrThrow()).balance)).toBe(balance);
  return linesOf;
}

/** A new one for every run; SEED=… repeats one. */
const seeds = [Number(process.env.SEED ?? randomInt(1_000_000))];

test.each(seeds)('statements and invoices equal the ledger for every account and month (SEED=%i)', async (seed) => {
  const random = randomFrom(seed);
  const { env, clock, close } = await createTestEnvironment({ at: '2026-01-05T00:00:00Z' });
  const acting = byBootstrap(env);
  const accounts = await Promise.all(
    ['0', '20', '7.7'].map((vatRate, index) =>
      createAccount(env, { name: `Customer ${index}`, balance: '50', vatRate }),
    ),
  );
  const paid: { orderId: string; left: number }[] = [];
  const months: string[] = [];
  for (let step = 0; step < 60; step += 1) {
    clock.advance((1 + random(4)) * 86_400 + random(86_400));
    const month = clock.now().toISOString().slice(0, 7);
    if (months.at(-1) !== month) months.push(month);
    const account = accounts[random(accounts.length)];
    if (account === undefined) throw new Error('there are accounts');
    const amount = `${1 + random(20)}.${random(10)}${random(10)}`;
    const act = random(4);
    if (act === 0) await topUp(acting, account.id, parseAmount(amount), randomUUID());
    if (act === 1) {
      const kind = random(2) === 0 ? 'credit' : 'debit';
      await adjustBalance(acting, account.id, { kind, amount, reason: 'random' });
    }
    if (act === 2) {
      const net = parseAmount(amount);
      const rate = BigInt(Math.round(Number(account.vatRate) * 1000));
      // By the rule of billing: rounded half up to whole cents.
      const vat = ((net * rate + 5_000_000n) / 10_000_000n) * 100n;
      const vatRate = account.vatRate;
      const item = {
        ...({ type: 'generic_order_items', qty: 1, setup: { net, vat, vatRate }, monthly: free(vatRate) } as const),
        ...{ billed_from: null, billed_to: null },
      };
      const order = { kind: 'generic', description: `charge ${step}` } as const;
      const at = clock.now();
      const period = { accountId: account.id, at, cause: 'renewal', reference: randomUUID(), occasion: '' } as const;
      const charged = await env.db.transaction().execute((trx) => chargePeriod(trx, { ...period, order, item }));
      if (charged.ok) paid.push({ orderId: charged.orderId, left: 2 });
    }
    const order = paid[random(Math.max(1, paid.length))];
    if (act === 3 && order !== undefined && order.left > 0) {
      order.left -= 1;
      // First a part, then the rest.
      await refundOrder(acting, order.orderId, { reason: 'random', ...(order.left > 0 ? { amount: '0.33' } : {}) });
    }
  }
  clock.advance(31 * 86_400);
  expect(await offences(env)).toEqual([]);

  const numbers: Record<'invoice' | 'credit_note', number[]> = { invoice: [], credit_note: [] };
  for (const { id } of accounts) {
    const linesOf = await expectLedgerOf(env, id, months);
    for (const [month, lines] of linesOf) {
      const earned = lines.filter(({ cause }) => cause === 'renewal' || cause === 'refund');
      if (earned.length === 0) {
        await expect(issueInvoice(acting, id, month)).rejects.toThrow('Nothing was charged');
        continue;
      }
      await issueInvoice(acting, id, month);
      await expect(issueInvoice(acting, id, month)).rejects.toThrow('issued already');
      const { rows: bills } = await env.pool.query(
        `select kind, number, net, vat, ledger_net, ledger_vat, document from invoices
         where account_id = $1 and month = $2 order by kind`,
        [id, `${month}-01`],
      );
      for (const { kind, number, net, vat, document } of bills) {
        numbers[kind === 'invoice' ? 'invoice' : 'credit_note'].push(Number(number));
        const total = document.lines.reduce((all: bigint, line: { net: string }) => all + parseAmount(line.net), 0n);
        expect([document.net, document.vat]).toEqual([formatCents(parseAmount(net)), formatCents(parseAmount(vat))]);
        expect(total).toBe(parseAmount(net));
      }
      expect([sum(bills.map(({ ledger_net }) => ledger_net)), sum(bills.map(({ ledger_vat }) => ledger_vat))]).toEqual([
        ...[sum(lines.map(({ net }) => net)), sum(lines.map(({ vat }) => vat))],
      ]);
      // Each bill is the ledger's sum, to the cent.
      for (const { net, ledger_net } of bills) {
        expect(net).toBe(`${formatCents(parseAmount(ledger_net.replace('-', '')))}00`);
      }
    }
  }
  // Refused invoices left no gap.
  for (const series of Object.values(numbers)) expect(series).toEqual(series.map((_, index) => index + 1));
  for (const statement of ['update invoices set net = 0', 'delete from invoices', 'truncate invoices']) {
    await expect(env.pool.query(statement)).rejects.toThrow('never change');
  }
  await close();
});

test.each(seeds)(
  'so they do with orders, renewals, price lists and prices of single customers (SEED=%i)',
  async (seed) => {
    const random = randomFrom(seed);
    const shop = await openShop({ account: { balance: '500', vatRate: '20' } });
    const { env, clock } = shop;
    const acting = byBootstrap(env);
    const others = [
      await shop.addAccount({ balance: '40', vatRate: '7.7' }),
      await shop.addAccount({ balance: '300' }),
    ];
    const customers = [shop, ...others];
    const months = new Set([clock.now().toISOString().slice(0, 7)]);
    const finance = await addOperator(shop, 'finance');
    const adjusted = new Map<string, string>();
    const prices = () => `${random(4)}.${random(10)}${random(10)},${random(9)}.${random(10)}${random(10)}`;
    for (let step = 0; step < 30; step += 1) {
      const { client, accountId } = customers[random(customers.length)] ?? shop;
      const act = random(6);
      if (act === 0) {
        const csv = `sku_id,setup_price,monthly_price\n${shop.skus.london},${prices()}\n`;
        const data = { type: 'price_lists', attributes: { kind: 'numbers', csv } };
        expect((await finance.client.post('/price_lists', { data })).status).toBe(201);
      }
      if (act === 1) {
        const product = random(2) === 0 ? 'number_monthly' : 'number_setup';
        const change = { percent: `${random(100) - 50}` };
        const set = adjusted.get(`${accountId} ${product}`);
        if (set === undefined) {
          adjusted.set(`${accountId} ${product}`, await addPriceAdjustment(acting, accountId, product, change));
        } else await changePriceAdjustment(acting, set, change);
      }
      if (act === 2) {
        const amount = `${1 + random(5)}.${random(10)}`;
        await adjustBalance(acting, accountId, { kind: random(3) > 0 ? 'credit' : 'debit', amount, reason: 'random' });
      }
      if (act === 3) {
        const orders = await client.get('/orders?filter[status]=completed');
        const order = orders.resources[random(Math.max(1, orders.resources.length))];
        if (order) await refundOrder(acting, order.id, { reason: 'random' }).catch(expectNothingLeft);
      }
      if (act > 3) {
        await shop.stock('london', 1);
        await postOrder(client, [didItem({ qty: 1, sku_id: shop.skus.london })]);
      }
      await advanceClock(env, (1 + random(9)) * 86_400 + random(86_400));
      months.add(clock.now().toISOString().slice(0, 7));
    }
    const causes = new Set<string>();
    for (const { accountId } of customers) {
      for (const lines of (await expectLedgerOf(env, accountId, [...months])).values()) {
        for (const { cause } of lines) causes.add(cause);
      }
    }
    expect([...causes]).toEqual(expect.arrayContaining(['order', 'renewal']));
    await shop.expectCleanBooks();
    await shop.close();
  },
);

/** What was paid with nothing, or was refunded before, cannot be refunded. */
function expectNothingLeft(error: unknown): void {
  expect(String(error)).toMatch(/OperatorError/);
}

const shop = useOpened(() => openShop({ account: { vatRate: '20', balance: '100' } }));
const operator = useMade(() => addOperator(shop, 'finance'));

test('an order is refunded in parts and never more than was paid; the statement shows it', async () => {
  await shop.buyDids('london');
  const { resources } = await operator.client.get(
    `/orders?filter[account.id]=${shop.accountId}&filter[status]=completed`,
  );
  const order = resources[0];
  const refundOf = (attributes: object) =>
    operator.client.post('/refunds', {
      data: {
        ...{ type: 'refunds', attributes: { reason: 'faulty', ...attributes } },
        relationships: { order: { data: { type: 'orders', id: order?.id } } },
      },
    });
  const itemsOf = async () => (await operator.client.get(`/orders/${order?.id}`)).resource.attributes.items;
  const item = { position: 1, kind: 'did_order_items', about: 'london', qty: 1, amount: order?.attributes.amount };
  expect(await itemsOf()).toEqual([{ type: 'charged_items', attributes: { ...item, refunded: '0.0' } }]);
  expect((await refundOf({ amount: '1.2' })).resource.attributes).toMatchObject({ amount: '1.2', vat: '0.2' });
  expect(await itemsOf()).toMatchObject([{ attributes: { refunded: '1.2' } }]);
  expect((await refundOf({ amount: '1000' })).status).toBe(422);
  expect((await refundOf({})).status).toBe(201);
  expect((await refundOf({})).status).toBe(422);
  await shop.expectCleanBooks();
  const after = (await operator.client.get(`/orders/${order?.id}`)).resource.attributes;
  expect(after.refunded).toBe(after.amount);
  const month = shop.clock.now().toISOString().slice(0, 7);
  const query = `account=${shop.accountId}&month=${month}`;
  const statement = JSON.parse((await operator.client.get(`/statements?${query}`)).text);
  expect(statement).toMatchObject({ opening: '0.0000', closing: '100.0000' });
  const csv = (await operator.client.get(`/statements.csv?${query}`)).text.split('\r\n');
  expect(csv.at(-2)).toBe(',,closing balance,,,100.0000,,,,USD');
  expect((await operator.client.get(`/statements?account=${shop.accountId}&month=2026-13`)).status).toBe(400);
});

test('the proof of the books is kept, and shown by /metrics', async () => {
  const metric = async () => (await fetch(`${shop.url}/metrics`).then((response) => response.text())).split('\n');
  expect(await keepVerification(shop.env)).toBe(0);
  const failed = 'trunkline_ledger_checks_failed{environment="sandbox"}';
  await expect.poll(metric).toContain(`${failed} 0`);
  await shop.env.pool.query('alter table accounts disable trigger user');
  await shop.env.pool.query('update accounts set balance = balance + 1');
  await shop.env.pool.query('alter table accounts enable trigger user');
  shop.clock.advance(1);
  expect(await keepVerification(shop.env)).toBe(1);
  await expect.poll(metric).toContain(`${failed} 1`);
  const { resources } = await operator.client.get('/ledger_verifications?filter[is_clean]=false');
  expect(resources.map(({ attributes }) => attributes.failed_checks)).toEqual([
    ['every balance is the sum of its entries'],
  ]);
});
