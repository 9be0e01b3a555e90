/** Charges and what the database refuses of them. */
import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { describe, expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import type { Schema } from '../../engines/db/schema.ts';
import type { Taxed } from './decimal.ts';
import { type Amount, parseAmount } from './decimal.ts';
import { charge, chargeEvenIntoDebt, fund, type Movement, refund, settleHold } from './ledger.ts';

const house = useOpened(() => createTestEnvironment());

const at = new Date('2026-06-15T12:00:00Z');

async function account(balance: string, terms: { credit?: string } = {}): Promise<string> {
  const { env } = house;
  const { id } = await env.db
    .insertInto('accounts')
    .values({ name: randomUUID(), created_at: at, ...terms })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (balance !== '0')
    await inside((trx) => fund(trx, { ...movement(id), cause: 'opening_balance' }, parseAmount(balance)));
  return id;
}

const movement = (accountId: string): Movement => ({
  accountId,
  at,
  cause: 'order',
  reference: randomUUID(),
});

const price = (net: string, vat = '0', vatRate = '0'): Taxed => ({
  net: parseAmount(net),
  vat: parseAmount(vat),
  vatRate,
});
const amount = (text: string): Amount => parseAmount(text);

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
  test('lowers the balance and lands in revenue and VAT as it was split', async () => {
    const id = await account('50');
    expect(await inside((trx) => charge(trx, movement(id), price('10', '2.1', '21')))).toEqual({ ok: true });
    expect(await balanceOf(id)).toBe('37.9000');
    expect(await entriesOf(id)).toEqual({
      customer: '37.9000',
      funding: '-50.0000',
      revenue: '10.0000',
      vat: '2.1000',
    });
  });

  test('keeps four decimals of tax: a hundred minutes at 0.02 and 21 % book 0.42', async () => {
    const id = await account('50');
    await inside(async (trx) => {
      for (let n = 0; n < 100; n++) await chargeEvenIntoDebt(trx, movement(id), price('0.02', '0.0042', '21'));
    });
    expect(await entriesOf(id)).toMatchObject({ customer: '47.5800', revenue: '2.0000', vat: '0.4200' });
  });

  test('may use the credit to the last cent and not further', async () => {
    const id = await account('1', { credit: '0.9' });
    const refused = { ok: false, available: amount('1.9'), cost: amount('2') };
    expect(await inside((trx) => charge(trx, movement(id), price('2.0')))).toEqual(refused);
    expect(await balanceOf(id)).toBe('1.0000');
    expect(await inside((trx) => charge(trx, movement(id), price('1.9')))).toEqual({ ok: true });
    expect(await balanceOf(id)).toBe('-0.9000');
  });

  test('for one cause happens once', async () => {
    const id = await account('50');
    const once = movement(id);
    await inside((trx) => charge(trx, once, price('5')));
    await expect(inside((trx) => charge(trx, once, price('5')))).rejects.toThrow('unique');
    expect(await balanceOf(id)).toBe('45.0000');
    await inside((trx) => charge(trx, { ...once, occasion: '2026-07-15' }, price('5')));
    expect(await balanceOf(id)).toBe('40.0000');
  });

  test('of nothing moves nothing', async () => {
    const id = await account('0');
    expect(await inside((trx) => charge(trx, movement(id), price('0.0')))).toEqual({ ok: true });
    expect(await entriesOf(id)).toEqual({});
  });

  test('twenty at once on a balance for seven: seven are paid', async () => {
    const id = await account('7');
    const results = await Promise.all(
      Array.from({ length: 20 }, () => inside((trx) => charge(trx, movement(id), price('1')))),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(7);
    expect(await balanceOf(id)).toBe('0.0000');
  });
});

/** Returns null, or what can be spent if that is too little. */
async function hold({ accountId, reference }: Movement, held: string): Promise<string | null> {
  const { rows } = await sql<{ spendable: string | null }>`
    select hold_money(${accountId}, 'order', ${reference}, null, ${at}, ${held}) as spendable`.execute(house.env.db);
  return rows[0]?.spendable ?? null;
}

test('a hold is earned, given back, or some of each', async () => {
  const id = await account('30');
  const [earned, returned, both] = [movement(id), movement(id), movement(id)];
  expect(await hold(earned, '12')).toBeNull();
  expect(await hold(returned, '6')).toBeNull();
  expect(await hold(both, '9')).toBeNull();
  expect(await hold(movement(id), '3.0001')).toBe('3.0000');
  expect(await entriesOf(id)).toMatchObject({ customer: '3.0000', holds: '27.0000' });
  const settle = (of: Movement, parts: { earned: Taxed; released?: Amount }) =>
    inside((trx) => settleHold(trx, { ...of, cause: 'order_completed' }, parts));
  await settle(earned, { earned: price('10', '2', '20') });
  await settle(returned, { earned: price('0', '0', '20'), released: amount('6') });
  await settle(both, { earned: price('5', '1', '20'), released: amount('3') });
  const after = { customer: '12.0000', holds: '0.0000', revenue: '15.0000', vat: '3.0000', funding: '-30.0000' };
  expect(await entriesOf(id)).toEqual(after);
});

test('a refund takes the VAT back too', async () => {
  const id = await account('12');
  const paid = movement(id);
  await inside((trx) => charge(trx, paid, price('10', '2', '20')));
  await inside((trx) => refund(trx, { ...paid, cause: 'refund' }, price('10', '2', '20')));
  expect(await balanceOf(id)).toBe('12.0000');
  expect(await entriesOf(id)).toMatchObject({ revenue: '10.0000', refunds: '-10.0000', vat: '0.0000' });
});

test("only an operator's correction may take money away", async () => {
  const id = await account('5');
  const taken = (cause: 'top_up' | 'adjustment') =>
    inside((trx) => fund(trx, { ...movement(id), cause }, amount('-1')));
  await expect(taken('top_up')).rejects.toThrow('adjustment');
  await taken('adjustment');
  expect(await balanceOf(id)).toBe('4.0000');
  await expect(inside((trx) => charge(trx, movement(id), price('-1')))).rejects.toThrow('never negative');
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

  test('earnings that do not name their VAT rate', async () => {
    const id = await account('5');
    const untaxed = inside((trx) =>
      sql`with opened as (insert into ledger_transactions (account_id, cause, reference, created_at)
            values (${id}, 'order', ${randomUUID()}, ${at}) returning id)
          insert into ledger_entries (transaction_id, ledger, account_id, amount)
          select id, l.ledger, ${id}, l.amount from opened, (values ('customer', -1), ('revenue', 1)) l (ledger, amount)
      `.execute(trx),
    );
    await expect(untaxed).rejects.toThrow('names its VAT rate');
  });
});
