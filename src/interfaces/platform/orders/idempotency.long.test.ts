/** Orders with an Idempotency-Key. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { didItem, postOrder } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';

const shop = useOpened(() => openShop());

describe('an Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': randomUUID() });

  test('gives the same response for the same body, whatever happened since, and charges once', async () => {
    await shop.stock('london', 4);
    const before = await shop.getBalance();
    const headers = key();
    const items = [didItem({ sku_id: shop.skus.london })];
    const first = await shop.postOrder(items, {}, headers);
    await runDueJobs(shop.env);
    const second = await shop.postOrder(items, {}, headers);
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(Number(before) - Number(await shop.getBalance())).toBe(2.5);
    const other = await shop.postOrder([didItem({ sku_id: shop.skus.london, qty: 2 })], {}, headers);
    expect([other.status, other.errors[0]?.code]).toEqual([422, '100']);
    shop.clock.advance(24 * 3600);
    expect((await shop.postOrder(items, {}, headers)).resource.id).not.toBe(first.resource.id);
  });

  test('of one account does not wait for an order of another that is still being written', async () => {
    await shop.stock('london', 1);
    await shop.stock('newyork', 1);
    const [slow, other] = [await shop.addAccount({ balance: '10' }), await shop.addAccount({ balance: '10' })];
    const buy = ({ client }: typeof slow, sku_id: string) => postOrder(client, [didItem({ sku_id })], {}, key());
    // The last thing an order does is to lock its account's row: this one stays in its transaction until that is free.
    const lock = await shop.env.pool.connect();
    try {
      await lock.query('begin');
      await lock.query('select from accounts where id = $1 for no key update', [slow.accountId]);
      const waiting = buy(slow, shop.skus.london);
      await expect.poll(waitingForLocks).toBe(1);
      expect((await buy(other, shop.skus.newyork)).status).toBe(201);
      expect(await waitingForLocks()).toBe(1);
      await lock.query('commit');
      expect((await waiting).status).toBe(201);
    } finally {
      lock.release(true);
    }
  });

  async function waitingForLocks(): Promise<number> {
    const { rows } = await shop.env.pool.query(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows[0].waiting;
  }

  test('ten at once make one order', async () => {
    await shop.stock('london', 10);
    const headers = key();
    const responses = await Promise.all(
      Array.from({ length: 10 }, () => shop.postOrder([didItem({ sku_id: shop.skus.london })], {}, headers)),
    );
    expect(new Set(responses.map(({ resource }) => resource.id)).size).toBe(1);
  });

  test('belongs to its account', async () => {
    await shop.stock('london', 2);
    const headers = key();
    const mine = await shop.postOrder([didItem({ sku_id: shop.skus.london })], {}, headers);
    const other = await shop.addAccount({ balance: '10' });
    const theirs = await postOrder(other.client, [didItem({ sku_id: shop.skus.london })], {}, headers);
    expect(theirs.resource.id).not.toBe(mine.resource.id);
  });
});
