/** Migrations that change stored rows, run on a database that has rows of the step before. */
import { describe, expect, test } from 'vitest';
import { useEmptyDatabase } from '../../test/support/empty-database.ts';
import { migrate } from './migrate.ts';
import { readMigrations } from './migration-files.ts';

const database = useEmptyDatabase();

/** Applies every migration before `version`. */
async function migrateBefore(version: number): Promise<void> {
  await migrate(
    database.pool,
    (await readMigrations()).filter((each) => each.version < version),
  );
}

const rows = async (sql: string, values: unknown[] = []) => (await database.pool.query(sql, values)).rows;

const account = 'aaaaaaaa-0000-4000-8000-000000000001';
const addAccount = (vatRate: string) =>
  rows("insert into accounts (id, name, vat_rate, created_at) values ($1, 'Old', $2, '2026-01-01')", [
    account,
    vatRate,
  ]);

describe('0130_exact_tax', () => {
  const order = (n: number) => `bbbbbbbb-0000-4000-8000-00000000000${n}`;
  const addOrder = async (n: number, status: string, item: { qty: number; declined?: string[] }) => {
    await rows(
      `insert into orders (id, account_id, reference, kind, description, amount, status, created_at, finished_at)
       values ($1, $2, $3, 'did', 'DID', 60.5, $4, '2026-01-01', case when $4 = 'pending' then null else timestamptz '2026-01-02' end)`,
      [order(n), account, `ABC-00000${n}`, status],
    );
    await rows(
      `insert into order_items (order_id, position, type, qty, nrc, mrc, declined)
       values ($1, 0, 'did_order_items', $2, 12.1, 18.15, $3)`,
      [order(n), item.qty, item.declined ?? []],
    );
  };
  const items = () =>
    rows(`select o.vat_rate, o.refunded as order_refunded, i.nrc_vat, i.mrc_vat, i.refunded, i.refunded_vat
          from orders o join order_items i on i.order_id = o.id order by o.seq`);

  test('splits the tax of old prices by the rate of their account, and writes down what was refunded', async () => {
    await migrateBefore(130);
    await addAccount('21');
    await addOrder(1, 'completed', { qty: 2 });
    await addOrder(2, 'canceled', { qty: 2 });
    await addOrder(3, 'pending', { qty: 2, declined: ['4420'] });
    await rows(
      `with moved as (
         insert into ledger_transactions (account_id, cause, reference, created_at) values ($1, 'top_up', $1, '2026-01-01')
         returning id, account_id)
       insert into ledger_entries (transaction_id, account_id, ledger, amount)
       select id, account_id, ledger, amount from moved, (values ('customer', 100), ('funding', -100)) as e (ledger, amount)`,
      [account],
    );
    await migrate(database.pool);
    const taxed = { vat_rate: '21.000', nrc_vat: '2.1000', mrc_vat: '3.1500' };
    expect(await items()).toEqual([
      { ...taxed, order_refunded: '0.0000', refunded: '0.0000', refunded_vat: '0.0000' },
      { ...taxed, order_refunded: '60.5000', refunded: '60.5000', refunded_vat: '10.5000' },
      { ...taxed, order_refunded: '0.0000', refunded: '30.2500', refunded_vat: '5.2500' },
    ]);
    const [since] = await rows(`select order_seq = (select max(seq) from orders) as after_orders,
      ledger_transaction_id = (select max(id) from ledger_transactions) as after_movements from exact_tax_since`);
    expect(since).toEqual({ after_orders: true, after_movements: true });
  });

  test('leaves accounts without tax as they were', async () => {
    await migrateBefore(130);
    await addAccount('0');
    await addOrder(1, 'completed', { qty: 1 });
    await migrate(database.pool);
    expect(await items()).toMatchObject([{ vat_rate: '0.000', nrc_vat: '0.0000', mrc_vat: '0.0000' }]);
  });
});

describe('0131_verification_quotes', () => {
  const addVerification = (n: number, status: string, fee: string) =>
    rows(
      `insert into verifications (id, application_id, account_id, destination, delivery_method, status, error_code, fee,
         language, code_length, code_timeout, created_at, expires_at, final_at)
       select $1, a.id, $2, $3, 'sms', $4, case when $4 = 'failed' then 'expired' end, $5, 'en-US', 6, 300,
         '2026-01-01', '2026-01-01 00:05', '2026-01-01 00:05' from otp_applications a`,
      [`cccccccc-0000-4000-8000-00000000000${n}`, account, `44770090000${n}`, status, fee],
    );

  test('quotes the fee of starts that are open, with its tax, and of no others', async () => {
    await migrateBefore(131);
    await addAccount('21');
    await rows(
      `insert into otp_applications (account_id, key, name, sealed_secret, created_at)
       values ($1, 'old-key', 'old', 'sealed', '2026-01-01')`,
      [account],
    );
    await addVerification(1, 'pending', '0.0605');
    await addVerification(2, 'pending', '0');
    await addVerification(3, 'verified', '0.0605');
    await addVerification(4, 'failed', '0.0605');
    await migrate(database.pool);
    const quotes = await rows(
      'select verification_id, account_id, vat_rate, fee_net, fee_vat, message_net, message_charged from verification_quotes',
    );
    expect(quotes).toEqual([
      {
        verification_id: 'cccccccc-0000-4000-8000-000000000001',
        account_id: account,
        vat_rate: '21.000',
        fee_net: '0.0500',
        fee_vat: '0.0105',
        message_net: '0.0000',
        message_charged: false,
      },
    ]);
  });
});

describe('0180_one_form_of_calls', () => {
  const addCall = (id: string, direction: string, call: object) =>
    rows(
      `insert into open_calls (id, direction, account_id, worker_id, state, trunk_id, time_start, call)
       values ($1, $2, $3, gen_random_uuid(), 'answered', gen_random_uuid(), '2026-01-01', $4)`,
      [id, direction, account, JSON.stringify(call)],
    );

  test('gives active calls of both directions the members that they have now', async () => {
    await migrateBefore(180);
    const attempt = { trunkId: 'x', code: 200 };
    await addCall('in-1', 'in', { didNumber: '442079460000', attempts: [attempt] });
    const source = { sourceIp: '203.0.113.10', sourcePort: 5060, sourceProtocol: 'udp' };
    await addCall('out-1', 'out', { dstNumber: '442079460001', ...source });
    await migrate(database.pool);
    const calls = await rows('select call from open_calls order by id');
    expect(calls.map(({ call }) => call)).toEqual([
      { didNumber: '442079460000', direction: 'in', attempts: [attempt], carrier: null, source: null },
      {
        dstNumber: '442079460001',
        ...source,
        direction: 'out',
        attempts: [],
        carrier: null,
        source: { address: '203.0.113.10', port: 5060, protocol: 'udp' },
      },
    ]);
  });
});
