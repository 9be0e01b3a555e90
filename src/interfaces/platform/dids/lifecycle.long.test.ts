/** Cancelling and restoring a number, waiting for its registration, and its history. */

import { describe, expect, test } from 'vitest';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { getBalance, getDid, getHistory, patchDid } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';

const daySeconds = 86_400;
const shop = useOpened(() => openShop());

const untilExpiry = (expiresAt: string) => (Date.parse(expiresAt) - shop.clock.now().getTime()) / 1000;

describe('cancelling and restoring', () => {
  test('with time left restoring is free', async () => {
    const me = await shop.addOwner('10');
    const cancelled = (await patchDid(me.client, me.id, { terminated: true })).resource.attributes;
    expect(cancelled).toMatchObject({
      terminated: true,
      blocked: true,
      billing_cycles_count: 0,
      expires_at: me.expiresAt,
    });
    await patchDid(me.client, me.id, { terminated: true });
    const restored = (await patchDid(me.client, me.id, { terminated: false })).resource.attributes;
    expect(restored).toMatchObject({
      terminated: false,
      blocked: false,
      billing_cycles_count: null,
      expires_at: me.expiresAt,
    });
    expect(await getBalance(me.client)).toBe('7.50');
    expect((await getHistory(me.client)).sort()).toEqual(['assigned api3', 'canceled api3', 'restored api3']);
  });

  test('after expiry a new period is charged from now on; who cannot pay changes nothing', async () => {
    const me = await shop.addOwner('4.5');
    await patchDid(me.client, me.id, { terminated: true });
    await advanceClock(shop.env, untilExpiry(me.expiresAt) + 3 * daySeconds);
    await shop.env.pool.query('update accounts set credit = 0 where id = $1', [me.accountId]);
    const restored = (await patchDid(me.client, me.id, { terminated: false })).resource.attributes;
    expect(restored).toMatchObject({ terminated: false, blocked: false, billing_cycles_count: null });
    const month = Date.parse(String(restored.expires_at)) - shop.clock.now().getTime();
    expect(Math.round(month / 86_400_000)).toBeGreaterThanOrEqual(28);
    expect(await getBalance(me.client)).toBe('0.00');

    await patchDid(me.client, me.id, { terminated: true });
    await advanceClock(shop.env, untilExpiry(String(restored.expires_at)));
    const refused = await patchDid(me.client, me.id, { terminated: false, description: 'mine' });
    expect(refused.errors[0]).toMatchObject({
      title: 'Insufficient balance',
      meta: { available_balance: '0.0', total_cost: '2.0' },
    });
    expect(await getDid(me.client, me.id)).toMatchObject({ terminated: true, description: null });
  });

  test('a changed number of cycles is in the history, with what it was', async () => {
    const me = await shop.addOwner('10');
    await patchDid(me.client, me.id, { billing_cycles_count: 3 });
    shop.clock.advance(1);
    await patchDid(me.client, me.id, { billing_cycles_count: 5 });
    shop.clock.advance(1);
    await patchDid(me.client, me.id, { billing_cycles_count: null });
    const { resources } = await me.client.get('/did_history?filter[action]=billing_cycles_count_changed');
    expect(resources.map(({ meta }) => meta)).toEqual([
      { from: '5', to: 'empty' },
      { from: '3', to: '5' },
      { from: 'empty', to: '3' },
    ]);
    expect((await me.client.get('/did_history?filter[action]=assigned')).resources[0]?.meta).toBeUndefined();
    expect((await patchDid(me.client, me.id, { billing_cycles_count: 1000 })).status).toBe(422);
  });
});

describe('a number that waits for its registration', () => {
  test('is blocked, has no end yet, and is taken back with a refund when nothing comes', async () => {
    const me = await shop.addOwner('10', {}, 'registered');
    expect(await getDid(me.client, me.id)).toMatchObject({
      awaiting_registration: true,
      blocked: true,
      expires_at: null,
    });
    expect((await me.client.get('/dids?filter[awaiting_registration]=true')).meta.total_records).toBe(1);
    await advanceClock(shop.env, 30 * daySeconds);
    expect((await me.client.get(`/dids/${me.id}`)).status).toBe(404);
    expect(await getBalance(me.client)).toBe('10.00');
  });

  test('cancelled, it is taken back at once', async () => {
    const me = await shop.addOwner('10', {}, 'registered');
    expect((await patchDid(me.client, me.id, { terminated: true })).resource.attributes.terminated).toBe(true);
    await runDueJobs(shop.env);
    expect((await me.client.get(`/dids/${me.id}`)).status).toBe(404);
    expect(await getBalance(me.client)).toBe('10.00');
  });
});

describe('the history', () => {
  test('is told for 90 days, and refuses to look further back', async () => {
    const me = await shop.addOwner('2.5');
    const [entry] = (await me.client.get('/did_history')).resources;
    await advanceClock(shop.env, 89 * daySeconds);
    expect((await me.client.get(`/did_history/${entry?.id}`)).status).toBe(200);
    await advanceClock(shop.env, 2 * daySeconds);
    expect((await me.client.get(`/did_history/${entry?.id}`)).status).toBe(404);
    const old = new Date(shop.clock.now().getTime() - 91 * daySeconds * 1000).toISOString();
    for (const key of ['created_at_gteq', 'created_at_lteq']) {
      const response = await me.client.get(`/did_history?filter[${key}]=${old}`);
      expect(response.errors).toEqual([
        { title: 'Invalid filter value', detail: 'Date must be within the last 90 days.', code: '107', status: '400' },
      ]);
    }
    const recent = new Date(shop.clock.now().getTime() - 89 * daySeconds * 1000).toISOString();
    expect((await me.client.get(`/did_history?filter[created_at_gteq]=${recent}&filter[method]=system`)).status).toBe(
      200,
    );
  });
});
