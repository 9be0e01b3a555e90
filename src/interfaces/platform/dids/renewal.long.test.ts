/** Due numbers: renewed month by month, or expired, aged and returned to stock. */

import { describe, expect, test } from 'vitest';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { didItem, getBalance, getDid, getHistory } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';

const daySeconds = 86_400;
const shop = useOpened(() => openShop());

const untilExpiry = (expiresAt: string) => (Date.parse(expiresAt) - shop.clock.now().getTime()) / 1000;

describe('renewal', () => {
  test.each([
    ['2027-01-29', ['2027-02-28', '2027-03-29']],
    ['2027-01-30', ['2027-02-28', '2027-03-30']],
    ['2027-01-31', ['2027-02-28', '2027-03-31', '2027-04-30']],
  ])('a number bought on %s is billed from each end of its month to the next: %j', async (bought, ends) => {
    const month = await openShop({ at: `${bought}T10:00:00Z` });
    try {
      await month.stock('london', 1);
      await month.postOrder([didItem({ sku_id: month.skus.london })]);
      await runDueJobs(month.env);
      const expiry = async () => String((await month.client.get('/dids')).resources[0]?.attributes.expires_at);
      expect((await expiry()).slice(0, 10)).toBe(ends[0]);
      for (const [index, end] of ends.entries()) {
        const next = ends[index + 1];
        if (next === undefined) break;
        await advanceClock(month.env, (Date.parse(await expiry()) - month.clock.now().getTime()) / 1000);
        expect((await expiry()).slice(0, 10)).toBe(next);
        const [renewal] = (await month.client.get('/orders?sort=-created_at')).resources;
        expect(renewal?.attributes.items).toMatchObject([{ attributes: { billed_from: end, billed_to: next } }]);
      }
    } finally {
      await month.close();
    }
  });

  test('a month later it is charged again, for ever, and every charge is an order', async () => {
    const me = await shop.addOwner('10');
    await advanceClock(shop.env, untilExpiry(me.expiresAt));
    const renewed = await getDid(me.client, me.id);
    expect(renewed).toMatchObject({ blocked: false, terminated: false, billing_cycles_count: null });
    expect(Date.parse(String(renewed.expires_at))).toBeGreaterThan(shop.clock.now().getTime());
    expect(await getBalance(me.client)).toBe('5.50');
    const [order] = (await me.client.get('/orders?sort=-created_at')).resources;
    expect(order?.attributes).toMatchObject({
      description: `DID renewal ${me.number}`,
      amount: '2.0',
      status: 'completed',
      items: [
        {
          type: 'generic_order_items',
          attributes: { qty: 1, nrc: '0.0', mrc: '2.0', prorated_mrc: false, billed_from: me.expiresAt.slice(0, 10) },
        },
      ],
    });
    expect(await getHistory(me.client)).toEqual(['renewed system', 'assigned api3']);
    await advanceClock(shop.env, 40 * daySeconds);
    expect(await getBalance(me.client)).toBe('3.50');
  });

  test('a limited term counts down and ends', async () => {
    const me = await shop.addOwner('10', { billing_cycles_count: 1 });
    await advanceClock(shop.env, untilExpiry(me.expiresAt));
    const last = await getDid(me.client, me.id);
    expect(last).toMatchObject({ billing_cycles_count: 0, terminated: false, blocked: false });
    await advanceClock(shop.env, untilExpiry(String(last.expires_at)));
    expect(await getDid(me.client, me.id)).toMatchObject({ terminated: true, blocked: true });
    expect(await getBalance(me.client)).toBe('5.50');
  });

  test('unpaid: it expires, ages 34 days and returns to stock', async () => {
    const me = await shop.addOwner('4.49');
    await advanceClock(shop.env, untilExpiry(me.expiresAt));
    expect(await getDid(me.client, me.id)).toMatchObject({
      terminated: true,
      blocked: true,
      billing_cycles_count: 0,
      expires_at: me.expiresAt,
    });
    expect(await getBalance(me.client)).toBe('1.99');
    expect(await getHistory(me.client)).toEqual(['canceled system', 'assigned api3']);
    await advanceClock(shop.env, 34 * daySeconds - 1);
    expect((await me.client.get(`/dids/${me.id}`)).status).toBe(200);
    await advanceClock(shop.env, 1);
    expect((await me.client.get(`/dids/${me.id}`)).status).toBe(404);
    expect((await getHistory(me.client))[0]).toBe('removed system');
    const { rows } = await shop.env.pool.query('select 1 from available_dids where number = $1', [me.number]);
    expect(rows).toHaveLength(1);
  });

  test('credit pays it too', async () => {
    const me = await shop.addOwner('2.5');
    await shop.env.pool.query('update accounts set credit = 2 where id = $1', [me.accountId]);
    await advanceClock(shop.env, untilExpiry(me.expiresAt));
    expect(await getDid(me.client, me.id)).toMatchObject({ terminated: false });
    expect(await getBalance(me.client)).toBe('-2.00');
  });
});

test('a number that cannot be settled holds up no other, and is settled once it can be', async () => {
  const [stuck, other] = [await shop.addOwner('10'), await shop.addOwner('10')];
  const broken = `alter table dids add constraint stuck check (id <> '${stuck.id}' or periods < 2) not valid`;
  await shop.env.pool.query(broken);
  const until = Math.max(untilExpiry(stuck.expiresAt), untilExpiry(other.expiresAt));
  await advanceClock(shop.env, until);
  expect([await getBalance(stuck.client), await getBalance(other.client)]).toEqual(['7.50', '5.50']);
  await shop.env.pool.query('alter table dids drop constraint stuck');
  await advanceClock(shop.env, 3600);
  expect(await getBalance(stuck.client)).toBe('5.50');
});
