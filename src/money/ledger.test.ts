import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../test/support/environment.ts';
import type { Schema } from '../db/schema.ts';
import { charge, earnHold, fund, hold, type Movement, refund, releaseHold } from './ledger.ts';

let house: TestEnvironment;
beforeAll(async () => {
  house = await createTestEnvironment();
});
afterAll(() => house.close());

const at = new Date('2026-06-15T12:00:00Z');

async function account(balance: string, terms: { credit?: string; vat_rate?: string } = {}): Promise<string> {
  const { env } = house;
  const { id } = await env.db
    .insertInto('accounts')
    .values({ name: randomUUID(), created_at: at, ...terms })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (balance !== '0') await inside((trx) => fund(trx, { ...movement(id, balance), cause: 'opening_balance' }));
  return id;
}

const movement = (accountId: string, amount: string): Movement => ({
  accountId,
  amount,
  at,
  cause: 'order',
  reference: randomUUID(),
});

function inside<T>(work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> {
  return house.env.db.transaction().execute(work);
}

async function balanceOf(accountId: string): Promise<string> {
  const found = await house.env.db
    .selectFrom('accounts')
    .select('balance')
    .where('id', '=', accountId)
    .executeTakeFirst();
  return found?.balance ?? '';
}

async function entriesOf(accountId: string): Promise<Record<string, string>> {
  const rows = await house.env.db
    .selectFrom('ledger_entries')
    .select(['ledger', sql<string>`sum(amount)`.as('amount')])
    .where('account_id', '=', accountId)
    .groupBy('ledger')
    .execute();
  return Object.fromEntries(rows.map((row) => [row.ledger, row.amount]));
}

describe('a charge', () => {
  test('lowers the balance and lands in revenue and VAT', async () => {
    const id = await account('50', { vat_rate: '21' });
    expect(await inside((trx) => charge(trx, movement(id, '12.1')))).toEqual({ ok: true });
    expect(await balanceOf(id)).toBe('37.9000');
    expect(await entriesOf(id)).toEqual({
      customer: '37.9000',
      funding: '-50.0000',
      revenue: '10.0000',
      vat: '2.1000',
    });
  });

  test('may use the credit to the last cent and not further', async () => {
    const id = await account('1', { credit: '0.9' });
    expect(await inside((trx) => charge(trx, movement(id, '2.0')))).toEqual({
      ok: false,
      reason: 'insufficient',
      available_balance: '1.9',
      total_cost: '2.0',
    });
    expect(await balanceOf(id)).toBe('1.0000');
    expect(await inside((trx) => charge(trx, movement(id, '1.9')))).toEqual({ ok: true });
    expect(await balanceOf(id)).toBe('-0.9000');
  });

  test('for one cause happens once', async () => {
    const id = await account('50');
    const once = movement(id, '5');
    await inside((trx) => charge(trx, once));
    await expect(inside((trx) => charge(trx, once))).rejects.toThrow('unique');
    expect(await balanceOf(id)).toBe('45.0000');
    await inside((trx) => charge(trx, { ...once, occasion: '2026-07-15' }));
    expect(await balanceOf(id)).toBe('40.0000');
  });

  test('of nothing moves nothing', async () => {
    const id = await account('0');
    expect(await inside((trx) => charge(trx, movement(id, '0.0')))).toEqual({ ok: true });
    expect(await entriesOf(id)).toEqual({});
  });

  test('twenty at once on a balance for seven: seven are paid', async () => {
    const id = await account('7');
    const results = await Promise.all(
      Array.from({ length: 20 }, () => inside((trx) => charge(trx, movement(id, '1')))),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(7);
    expect(await balanceOf(id)).toBe('0.0000');
  });
});

test('a hold is earned or given back', async () => {
  const id = await account('30', { vat_rate: '20' });
  const [earned, returned] = [movement(id, '12'), movement(id, '6')];
  await inside((trx) => hold(trx, earned));
  await inside((trx) => hold(trx, returned));
  expect(await entriesOf(id)).toMatchObject({ customer: '12.0000', holds: '18.0000' });
  await inside((trx) => earnHold(trx, { ...earned, cause: 'order_completed' }));
  await inside((trx) => releaseHold(trx, { ...returned, cause: 'order_canceled' }));
  const after = { customer: '18.0000', holds: '0.0000', revenue: '10.0000', vat: '2.0000', funding: '-30.0000' };
  expect(await entriesOf(id)).toEqual(after);
});

test('a refund takes the VAT back too', async () => {
  const id = await account('12', { vat_rate: '20' });
  const paid = movement(id, '12');
  await inside((trx) => charge(trx, paid));
  await inside((trx) => refund(trx, { ...paid, cause: 'refund' }));
  expect(await balanceOf(id)).toBe('12.0000');
  expect(await entriesOf(id)).toMatchObject({ revenue: '10.0000', refunds: '-10.0000', vat: '0.0000' });
});

test("only an operator's correction may take money away", async () => {
  const id = await account('5');
  await expect(inside((trx) => fund(trx, { ...movement(id, '-1'), cause: 'top_up' }))).rejects.toThrow('adjustment');
  await inside((trx) => fund(trx, { ...movement(id, '-1'), cause: 'adjustment' }));
  expect(await balanceOf(id)).toBe('4.0000');
});

describe('the database refuses', () => {
  test('to change or remove what was written', async () => {
    await account('5');
    const { env } = house;
    await expect(sql`update ledger_entries set amount = 1`.execute(env.db)).rejects.toThrow('append only');
    await expect(sql`delete from ledger_entries`.execute(env.db)).rejects.toThrow('append only');
    await expect(sql`truncate ledger_transactions cascade`.execute(env.db)).rejects.toThrow('append only');
    await expect(sql`update ledger_transactions set reference = account_id`.execute(env.db)).rejects.toThrow(
      'append only',
    );
  });

  test('a balance that no ledger transaction caused', async () => {
    const id = await account('5');
    const { env } = house;
    await expect(env.db.updateTable('accounts').set({ balance: '99' }).where('id', '=', id).execute()).rejects.toThrow(
      'only by a ledger transaction',
    );
    const rich = env.db.insertInto('accounts').values({ name: randomUUID(), balance: '1', created_at: at });
    await expect(rich.execute()).rejects.toThrow('starts at zero');
  });

  test('entries that do not sum to zero, are of another account, or are missing', async () => {
    const [id, other] = [await account('5'), await account('5')];
    const open = sql<{ id: string }>`insert into ledger_transactions (account_id, cause, reference, created_at)
      values (${id}, 'adjustment', ${randomUUID()}, ${at}) returning id`;
    await expect(inside((trx) => open.execute(trx))).rejects.toThrow('0 entries');
    const withEntries = (owner: string, amount: string) =>
      inside(async (trx) => {
        const [opened] = (await open.execute(trx)).rows;
        await sql`insert into ledger_entries (transaction_id, ledger, account_id, amount)
          values (${opened?.id}, 'customer', ${owner}, 5), (${opened?.id}, 'funding', ${owner}, ${amount})`.execute(
          trx,
        );
      });
    await expect(withEntries(id, '-4')).rejects.toThrow('do not balance');
    await expect(withEntries(other, '-5')).rejects.toThrow('another account');
    expect(await balanceOf(id)).toBe('5.0000');
    expect(await balanceOf(other)).toBe('5.0000');
  });
});
