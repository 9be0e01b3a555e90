import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { advanceClock, runDueJobs } from '../../../test/support/environment.ts';
import { didItem, openShop, type Shop } from '../../../test/support/shop.ts';
import { createApiKey } from '../../accounts/api-keys.ts';

const DAY = 86_400;
let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(() => shop.close());

interface Owner {
  client: Shop['client'];
  accountId: string;
}

/** A customer who has just bought one number. */
async function owner(balance: string, item: object = {}, group: 'london' | 'registered' = 'london') {
  const account = await shop.addAccount({ balance });
  await shop.stock(group, 1);
  const data = { type: 'orders', attributes: { items: [didItem({ sku_id: shop.skus[group], ...item })] } };
  const order = (await account.client.post('/orders', { data })).resource;
  await runDueJobs(shop.env);
  const [did] = (await account.client.get('/dids')).resources;
  if (!did) throw new Error(`order ${order.id} brought no number`);
  return {
    ...account,
    id: did.id,
    number: String(did.attributes.number),
    expiresAt: String(did.attributes.expires_at),
  };
}

const patch = (client: Shop['client'], id: string, attributes: object) =>
  client.patch(`/dids/${id}`, { data: { id, type: 'dids', attributes } });
const read = async ({ client }: Owner, id: string) => (await client.get(`/dids/${id}`)).resource.attributes;
const balance = async ({ client }: Owner) => (await client.get('/balance')).resource.attributes.balance;
const actions = async ({ client }: Owner) =>
  (await client.get('/did_history')).resources.map(({ attributes: { action, method } }) => `${action} ${method}`);
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
      await month.order([didItem({ sku_id: month.skus.london })]);
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
    const me = await owner('10');
    await advanceClock(shop.env, untilExpiry(me.expiresAt));
    const renewed = await read(me, me.id);
    expect(renewed).toMatchObject({ blocked: false, terminated: false, billing_cycles_count: null });
    expect(Date.parse(String(renewed.expires_at))).toBeGreaterThan(shop.clock.now().getTime());
    expect(await balance(me)).toBe('5.50');
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
    expect(await actions(me)).toEqual(['renewed system', 'assigned api3']);
    await advanceClock(shop.env, 40 * DAY);
    expect(await balance(me)).toBe('3.50');
  });

  test('a limited term counts down and ends', async () => {
    const me = await owner('10', { billing_cycles_count: 1 });
    await advanceClock(shop.env, untilExpiry(me.expiresAt));
    const last = await read(me, me.id);
    expect(last).toMatchObject({ billing_cycles_count: 0, terminated: false, blocked: false });
    await advanceClock(shop.env, untilExpiry(String(last.expires_at)));
    expect(await read(me, me.id)).toMatchObject({ terminated: true, blocked: true });
    expect(await balance(me)).toBe('5.50');
  });

  test('unpaid: it expires, ages 34 days and returns to stock', async () => {
    const me = await owner('4.49');
    await advanceClock(shop.env, untilExpiry(me.expiresAt));
    expect(await read(me, me.id)).toMatchObject({
      terminated: true,
      blocked: true,
      billing_cycles_count: 0,
      expires_at: me.expiresAt,
    });
    expect(await balance(me)).toBe('1.99');
    expect(await actions(me)).toEqual(['canceled system', 'assigned api3']);
    await advanceClock(shop.env, 34 * DAY - 1);
    expect((await me.client.get(`/dids/${me.id}`)).status).toBe(200);
    await advanceClock(shop.env, 1);
    expect((await me.client.get(`/dids/${me.id}`)).status).toBe(404);
    expect((await actions(me))[0]).toBe('removed system');
    const { rows } = await shop.env.pool.query('select 1 from available_dids where number = $1', [me.number]);
    expect(rows).toHaveLength(1);
  });

  test('credit pays it too', async () => {
    const me = await owner('2.5');
    await shop.env.pool.query('update accounts set credit = 2 where id = $1', [me.accountId]);
    await advanceClock(shop.env, untilExpiry(me.expiresAt));
    expect(await read(me, me.id)).toMatchObject({ terminated: false });
    expect(await balance(me)).toBe('-2.00');
  });
});

test('a number that cannot be settled holds up no other, and is settled once it can be', async () => {
  const [stuck, other] = [await owner('10'), await owner('10')];
  const broken = `alter table dids add constraint stuck check (id <> '${stuck.id}' or periods < 2) not valid`;
  await shop.env.pool.query(broken);
  const until = Math.max(untilExpiry(stuck.expiresAt), untilExpiry(other.expiresAt));
  await advanceClock(shop.env, until);
  expect([await balance(stuck), await balance(other)]).toEqual(['7.50', '5.50']);
  await shop.env.pool.query('alter table dids drop constraint stuck');
  await advanceClock(shop.env, 3600);
  expect(await balance(stuck)).toBe('5.50');
});

describe('cancelling and restoring', () => {
  test('with time left restoring is free', async () => {
    const me = await owner('10');
    const cancelled = (await patch(me.client, me.id, { terminated: true })).resource.attributes;
    expect(cancelled).toMatchObject({
      terminated: true,
      blocked: true,
      billing_cycles_count: 0,
      expires_at: me.expiresAt,
    });
    await patch(me.client, me.id, { terminated: true });
    const restored = (await patch(me.client, me.id, { terminated: false })).resource.attributes;
    expect(restored).toMatchObject({
      terminated: false,
      blocked: false,
      billing_cycles_count: null,
      expires_at: me.expiresAt,
    });
    expect(await balance(me)).toBe('7.50');
    expect((await actions(me)).sort()).toEqual(['assigned api3', 'canceled api3', 'restored api3']);
  });

  test('after expiry a new period is charged from now on; who cannot pay changes nothing', async () => {
    const me = await owner('4.5');
    await patch(me.client, me.id, { terminated: true });
    await advanceClock(shop.env, untilExpiry(me.expiresAt) + 3 * DAY);
    await shop.env.pool.query('update accounts set credit = 0 where id = $1', [me.accountId]);
    const restored = (await patch(me.client, me.id, { terminated: false })).resource.attributes;
    expect(restored).toMatchObject({ terminated: false, blocked: false, billing_cycles_count: null });
    const month = Date.parse(String(restored.expires_at)) - shop.clock.now().getTime();
    expect(Math.round(month / 86_400_000)).toBeGreaterThanOrEqual(28);
    expect(await balance(me)).toBe('0.00');

    await patch(me.client, me.id, { terminated: true });
    await advanceClock(shop.env, untilExpiry(String(restored.expires_at)));
    const refused = await patch(me.client, me.id, { terminated: false, description: 'mine' });
    expect(refused.errors[0]).toMatchObject({
      title: 'Insufficient balance',
      meta: { available_balance: '0.0', total_cost: '2.0' },
    });
    expect(await read(me, me.id)).toMatchObject({ terminated: true, description: null });
  });

  test('a changed number of cycles is in the history, with what it was', async () => {
    const me = await owner('10');
    await patch(me.client, me.id, { billing_cycles_count: 3 });
    shop.clock.advance(1);
    await patch(me.client, me.id, { billing_cycles_count: 5 });
    shop.clock.advance(1);
    await patch(me.client, me.id, { billing_cycles_count: null });
    const { resources } = await me.client.get('/did_history?filter[action]=billing_cycles_count_changed');
    expect(resources.map(({ meta }) => meta)).toEqual([
      { from: '5', to: 'empty' },
      { from: '3', to: '5' },
      { from: 'empty', to: '3' },
    ]);
    expect((await me.client.get('/did_history?filter[action]=assigned')).resources[0]?.meta).toBeUndefined();
    expect((await patch(me.client, me.id, { billing_cycles_count: 1000 })).status).toBe(422);
  });
});

describe('a number that waits for its registration', () => {
  test('is blocked, has no end yet, and is taken back with a refund when nothing comes', async () => {
    const me = await owner('10', {}, 'registered');
    expect(await read(me, me.id)).toMatchObject({ awaiting_registration: true, blocked: true, expires_at: null });
    expect((await me.client.get('/dids?filter[awaiting_registration]=true')).meta.total_records).toBe(1);
    await advanceClock(shop.env, 30 * DAY);
    expect((await me.client.get(`/dids/${me.id}`)).status).toBe(404);
    expect(await balance(me)).toBe('10.00');
  });

  test('cancelled, it is taken back at once', async () => {
    const me = await owner('10', {}, 'registered');
    expect((await patch(me.client, me.id, { terminated: true })).resource.attributes.terminated).toBe(true);
    await runDueJobs(shop.env);
    expect((await me.client.get(`/dids/${me.id}`)).status).toBe(404);
    expect(await balance(me)).toBe('10.00');
  });
});

describe('the history', () => {
  test('is told for 90 days, and refuses to look further back', async () => {
    const me = await owner('2.5');
    const [entry] = (await me.client.get('/did_history')).resources;
    await advanceClock(shop.env, 89 * DAY);
    expect((await me.client.get(`/did_history/${entry?.id}`)).status).toBe(200);
    await advanceClock(shop.env, 2 * DAY);
    expect((await me.client.get(`/did_history/${entry?.id}`)).status).toBe(404);
    const old = new Date(shop.clock.now().getTime() - 91 * DAY * 1000).toISOString();
    for (const key of ['created_at_gteq', 'created_at_lteq']) {
      const answer = await me.client.get(`/did_history?filter[${key}]=${old}`);
      expect(answer.errors).toEqual([
        { title: 'Invalid filter value', detail: 'Date must be within the last 90 days.', code: '107', status: '400' },
      ]);
    }
    const recent = new Date(shop.clock.now().getTime() - 89 * DAY * 1000).toISOString();
    expect((await me.client.get(`/did_history?filter[created_at_gteq]=${recent}&filter[method]=system`)).status).toBe(
      200,
    );
  });
});

describe('a change of a number', () => {
  test('words and limits', async () => {
    const me = await owner('10');
    const changed = await patch(me.client, me.id, { description: 'front desk', capacity_limit: 2 });
    expect(changed.resource.attributes).toMatchObject({ description: 'front desk', capacity_limit: 2 });
    const cleared = await patch(me.client, me.id, { description: null, capacity_limit: null });
    expect(cleared.resource.attributes).toMatchObject({ description: null, capacity_limit: null });
    const high = await patch(me.client, me.id, { capacity_limit: 32_768 });
    expect(high.errors).toEqual([
      {
        title: 'must be less than or equal to 32767',
        detail: 'capacity_limit - must be less than or equal to 32767',
        code: '100',
        source: { pointer: '/data/attributes/capacity_limit' },
        status: '422',
      },
    ]);
    for (const attributes of [{ blocked: true }, { number: '1' }, { expires_at: null }, { capacity_pools_id: '1' }]) {
      expect((await patch(me.client, me.id, attributes)).errors[0]?.code).toBe('105');
    }
    const stranger = await shop.addAccount();
    expect((await patch(stranger.client, me.id, { description: 'x' })).status).toBe(404);
  });

  test("routes: trunk or group, each clears the other, never both, never a stranger's", async () => {
    const me = await owner('10');
    const trunk = await addTrunk(me.accountId, 'Main');
    const group = await addTrunkGroup(me.accountId, 'Both');
    const link = (relationships: object) =>
      me.client.patch(`/dids/${me.id}?include=voice_in_trunk,voice_in_trunk_group`, {
        data: { id: me.id, type: 'dids', attributes: {}, relationships },
      });
    const toTrunk = { data: { type: 'voice_in_trunks', id: trunk } };
    const toGroup = { data: { type: 'voice_in_trunk_groups', id: group } };
    const links = (answer: Awaited<ReturnType<typeof link>>) => [
      answer.resource.relationships.voice_in_trunk?.data,
      answer.resource.relationships.voice_in_trunk_group?.data,
    ];
    expect(links(await link({ voice_in_trunk: toTrunk }))).toEqual([toTrunk.data, null]);
    expect(links(await link({ voice_in_trunk_group: toGroup }))).toEqual([null, toGroup.data]);
    expect(links(await link({ voice_in_trunk: toTrunk, voice_in_trunk_group: { data: null } }))).toEqual([
      toTrunk.data,
      null,
    ]);
    expect((await me.client.get(`/dids?filter[trunk.id]=${trunk}`)).meta.total_records).toBe(1);
    const both = await link({ voice_in_trunk: toTrunk, voice_in_trunk_group: toGroup });
    expect([both.status, both.errors[0]?.source?.pointer]).toEqual([422, '/data/attributes/voice_in_trunk_group_id']);
    const foreign = { data: { type: 'voice_in_trunk_groups', id: await addTrunkGroup(shop.accountId, 'Theirs') } };
    expect((await link({ voice_in_trunk_group: foreign })).errors).toEqual([
      {
        title: 'is invalid',
        detail: 'voice_in_trunk_group - is invalid',
        code: '100',
        source: { pointer: '/data/attributes/voice_in_trunk_group_id' },
        status: '422',
      },
    ]);
    expect(links(await link({ voice_in_trunk: { data: null } }))).toEqual([null, null]);
  });

  test('an address verification and an emergency service can only be let go of', async () => {
    const me = await owner('10');
    const link = (name: string, data: object | null) =>
      me.client.patch(`/dids/${me.id}`, { data: { id: me.id, type: 'dids', relationships: { [name]: { data } } } });
    for (const name of ['address_verification', 'emergency_calling_service']) {
      expect((await link(name, null)).status).toBe(200);
      expect((await link(name, { type: `${name}s`, id: me.id })).status).toBe(422);
    }
    expect((await read(me, me.id)).emergency_enabled).toBe(false);
    expect((await link('identity', null)).errors[0]?.code).toBe('105');
  });
});

async function addTrunk(accountId: string, name: string): Promise<string> {
  const client = accountId === shop.accountId ? shop.client : await clientOf(accountId);
  const configuration = {
    type: 'sip_configurations',
    attributes: { username: '{DID}', host: 'sip.example.test', codec_ids: [9] },
  };
  const data = { type: 'voice_in_trunks', attributes: { name, configuration } };
  return (await client.post('/voice_in_trunks', { data })).resource.id;
}

async function addTrunkGroup(accountId: string, name: string): Promise<string> {
  const client = accountId === shop.accountId ? shop.client : await clientOf(accountId);
  return (
    await client.post('/voice_in_trunk_groups', { data: { type: 'voice_in_trunk_groups', attributes: { name } } })
  ).resource.id;
}

async function clientOf(accountId: string): Promise<Shop['client']> {
  const { key } = await createApiKey(shop.env, accountId, { name: 'second' });
  return shop.client.with({ key });
}
