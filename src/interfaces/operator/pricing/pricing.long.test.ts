/** Price lists with dry runs and dates, and prices of single customers: what is shown is what is charged. */
import { expect, test } from 'vitest';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { addOperator } from '../../../../test/support/operator.ts';
import { didItem } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';
import { setVoiceRate } from '../../../business/voice/rates.ts';

const shop = useOpened(() => openShop({ account: { balance: '1000' } }));
const operator = useMade(() => addOperator(shop, 'finance'));

const linkTo = (type: string, id: string) => ({ data: { type, id } });
const importList = (attributes: object, relationships: object = {}) =>
  operator.client.post('/price_lists', { data: { type: 'price_lists', attributes, relationships } });
const changeList = (id: string, attributes: object) =>
  operator.client.patch(`/price_lists/${id}`, { data: { type: 'price_lists', id, attributes } });
const adjust = (product: string, change: object, accountId = shop.accountId) =>
  operator.client.post('/price_adjustments', {
    data: {
      ...{ type: 'price_adjustments', attributes: { product, ...change } },
      relationships: { account: linkTo('accounts', accountId) },
    },
  });
const inDays = (days: number) => new Date(shop.clock.now().getTime() + days * 86_400_000).toISOString();
const exported = async (query: string) => (await operator.client.get(`/prices.csv?${query}`)).text;

/** Prefix → price of a minute. */
const rates = async () => {
  const lines = (await exported('kind=termination')).trim().split('\r\n').slice(1);
  return Object.fromEntries(lines.map((line) => line.split(',').slice(0, 2)));
};

test('a dry run shows every difference and changes nothing, until it is confirmed', async () => {
  await setVoiceRate(shop.env, { kind: 'termination', prefix: '44', perMinute: '0.01' });
  await setVoiceRate(shop.env, { kind: 'termination', prefix: '49', perMinute: '0.02' });
  await setVoiceRate(shop.env, { kind: 'termination', prefix: '1', perMinute: '0.03' });
  const csv = 'prefix,per_minute,country\n44,0.010,\n49,0.025,"Germany, all"\n33,0.04,France\n';
  const { resource } = await importList({ kind: 'termination', csv, dry_run: true });
  expect(resource.attributes).toMatchObject({ state: 'dry_run', dry_run: true });
  const counts = { new_count: 1, changed_count: 1, removed_count: 1, unchanged_count: 1 };
  expect(resource.attributes).toMatchObject(counts);
  expect(await rates()).toEqual({ 1: '0.030000', 44: '0.010000', 49: '0.020000' });
  const { resources } = await operator.client.get(`/price_list_lines?filter[price_list.id]=${resource.id}`);
  const shown = resources.map(({ attributes: { subject, change, line } }) => [subject, change, line]);
  expect(shown).toEqual([
    ['1', 'removed', null],
    ['33', 'new', 4],
    ['44', 'unchanged', 2],
    ['49', 'changed', 3],
  ]);
  expect(JSON.parse(String(resources[3]?.attributes.before))).toMatchObject({ per_minute: '0.020000', country: null });
  expect(JSON.parse(String(resources[3]?.attributes.after))).toMatchObject({
    ...{ per_minute: '0.025000', country: 'Germany, all' },
  });

  // Meanwhile the price of 33 came by another way: the differences are found anew.
  await setVoiceRate(shop.env, { kind: 'termination', prefix: '33', perMinute: '0.09' });
  const confirmed = await changeList(resource.id, { dry_run: false, reason: 'agreed' });
  expect(confirmed.resource.attributes).toMatchObject({ state: 'valid', new_count: 0, changed_count: 2 });
  expect(await rates()).toEqual({ 33: '0.040000', 44: '0.010000', 49: '0.025000' });
  expect((await changeList(resource.id, { dry_run: false })).status).toBe(422);
  expect((await changeList(resource.id, { withdrawn: true })).errors[0]?.detail).toContain('valid already');
});

test('wrong lines are named, each with what is wrong, and nothing is imported', async () => {
  const csv = 'prefix,per_minute\n44,0.01\n4a,0.01\n45,cheap\n44,0.02\n46\n47,0.0000001\n48,\n';
  const { status, errors } = await importList({ kind: 'termination', csv });
  expect(status).toBe(422);
  expect(errors.map(({ title }) => title.split(':')[0])).toEqual([3, 4, 5, 6, 7, 8].map((line) => `line ${line}`));
  expect(errors[2]?.title).toBe('line 5: it prices the same as line 2');
  expect(errors[0]?.source).toEqual({ pointer: '/data/attributes/csv' });
  expect((await importList({ kind: 'termination', csv: 'prefix,cost\n44,1' })).errors[0]?.title).toContain('"cost"');
  expect((await importList({ kind: 'termination', csv: '' })).status).toBe(422);
  const sku = 'sku_id,setup_price,monthly_price\n00000000-0000-4000-8000-000000000000,1,1';
  expect((await importList({ kind: 'numbers', csv: sku })).errors[0]?.title).toContain('line 2');
  expect((await importList({ kind: 'carrier', csv: 'prefix,per_minute\n1,1' })).status).toBe(422);
  expect(
    (await importList({ kind: 'termination', csv: 'prefix,per_minute\n1,1', valid_from: inDays(-1) })).status,
  ).toBe(422);
});

test('prices of numbers hold from their date on: orders before keep theirs, renewals pay the new one', async () => {
  const owner = await shop.addOwner('100');
  const [before] = (await owner.client.get('/orders')).resources;
  expect(before?.attributes.amount).toBe('2.5');
  const csv = (await exported('kind=numbers')).replace(
    new RegExp(`${shop.skus.london},[^,]*,[^,]*`),
    `${shop.skus.london},1,3.5`,
  );
  const planned = (await importList({ kind: 'numbers', csv, valid_from: inDays(2) })).resource;
  expect(planned.attributes).toMatchObject({ state: 'planned', changed_count: 1, removed_count: 0 });
  const other = (await importList({ kind: 'numbers', csv, valid_from: inDays(3) })).resource;
  expect((await changeList(other.id, { withdrawn: true })).resource.attributes.state).toBe('withdrawn');
  const skuOf = async (client = owner.client) => {
    const group = await client.get(`/did_groups/${shop.groups.london}?include=stock_keeping_units`);
    return group.included.find(({ id }) => id === shop.skus.london)?.attributes;
  };
  expect(await skuOf()).toMatchObject({ setup_price: '0.5', monthly_price: '2.0' });
  await advanceClock(shop.env, 2 * 86_400);
  await runDueJobs(shop.env);
  expect(await skuOf()).toMatchObject({ setup_price: '1.0', monthly_price: '3.5' });
  expect((await operator.client.get(`/price_lists/${planned.id}`)).resource.attributes.state).toBe('valid');
  expect((await owner.client.get(`/orders/${before?.id}`)).resource.attributes.amount).toBe('2.5');
  await advanceClock(shop.env, 31 * 86_400);
  await runDueJobs(shop.env);
  const orders = (await owner.client.get('/orders?sort=-created_at')).resources;
  expect(orders.map(({ attributes }) => attributes.amount)).toEqual(['3.5', '2.5']);
  expect((await operator.client.get(`/price_lists/${other.id}`)).resource.attributes.applied_at).toBeNull();
  await shop.expectCleanBooks();
});

test('an adjusted price is what the customer sees and what is charged, for numbers, channels and calls', async () => {
  const customer = await shop.addAccount({ balance: '1000' });
  await shop.stock('newyork', 2);
  expect((await adjust('number_monthly', { percent: '-12.5' }, customer.accountId)).status).toBe(201);
  const twice = await adjust('number_monthly', { percent: '5' }, customer.accountId);
  expect([twice.status, twice.errors[0]?.title]).toEqual([422, expect.stringContaining('already')]);
  expect((await adjust('number_setup', { percent: '1', fixed: '1' }, customer.accountId)).status).toBe(422);
  const setup = (await adjust('number_setup', { fixed: '-0.75' }, customer.accountId)).resource;
  const priceIn = async (client: typeof customer.client) =>
    (await client.get(`/did_groups/${shop.groups.newyork}?include=stock_keeping_units`)).included[0]?.attributes;
  // 2.0 less an eighth; 0.5 - 0.75 is nothing, not less.
  expect(await priceIn(customer.client)).toMatchObject({ setup_price: '0.0', monthly_price: '1.75' });
  expect(await priceIn(shop.client)).toMatchObject({ setup_price: '0.5', monthly_price: '2.0' });
  const buy = async () => {
    const order = await customer.client.post('/orders', {
      data: { type: 'orders', attributes: { items: [didItem({ sku_id: shop.skus.newyork, qty: 1 })] } },
    });
    return order.resource.attributes.amount;
  };
  expect(await buy()).toBe('1.75');
  await runDueJobs(shop.env);
  await operator.client.delete(`/price_adjustments/${setup.id}`);
  expect(await buy()).toBe('2.25');
  await advanceClock(shop.env, 32 * 86_400);
  await runDueJobs(shop.env);
  const renewals = (await customer.client.get('/orders?sort=-created_at')).resources.slice(0, 2);
  expect(renewals.map(({ attributes }) => attributes.amount)).toEqual(['1.75', '1.75']);

  await adjust('channel_monthly', { fixed: '-5' }, customer.accountId);
  await adjust('channel_setup', { percent: '-100' }, customer.accountId);
  const [pool] = (await customer.client.get('/capacity_pools?include=qty_based_pricings')).resources;
  expect(pool?.attributes).toMatchObject({ setup_price: '0.0', monthly_price: '20.0' });
  const ordered = await customer.client.post('/orders', {
    data: {
      ...{ type: 'orders' },
      attributes: { items: [{ type: 'capacity_order_items', attributes: { capacity_pool_id: pool?.id, qty: 30 } }] },
    },
  });
  const [item] = ordered.resource.attributes.items as { attributes: { nrc: string; mrc: string } }[];
  // From 30 channels on the list price is 20.0, less 5 for this customer, for the rest of the month.
  expect(item?.attributes.nrc).toBe('0.0');
  expect(Number(item?.attributes.mrc)).toBeLessThanOrEqual(15);

  const rateOf = async (accountId: string) =>
    (
      await shop.env.pool.query(`select per_minute, connection_fee from voice_rate('termination', $1, '4420')`, [
        accountId,
      ])
    ).rows[0];
  await setVoiceRate(shop.env, { kind: 'termination', prefix: '4420', perMinute: '0.0101', connectionFee: '0.2' });
  await adjust('termination', { percent: '10' }, customer.accountId);
  expect(await rateOf(customer.accountId)).toEqual({ per_minute: '0.011110', connection_fee: '0.2200' });
  expect(await rateOf(shop.accountId)).toEqual({ per_minute: '0.010100', connection_fee: '0.2000' });
  // A rate of the customer's own was agreed as it is.
  const own = { kind: 'termination', csv: 'prefix,per_minute\n4420,0.009' };
  await importList(own, { account: linkTo('accounts', customer.accountId) });
  expect(await rateOf(customer.accountId)).toEqual({ per_minute: '0.009000', connection_fee: '0.0000' });
  await shop.expectCleanBooks();
});

test('rates of a carrier, of codes, channels and emergency services are imported in the form they are exported', async () => {
  const { env } = shop;
  const carrier = await env.db
    .insertInto('carriers')
    .values({ name: 'deck', host: 'sip.deck.test', created_at: env.clock.now() })
    .returning('id')
    .executeTakeFirstOrThrow();
  const deck = `prefix,per_minute\n${Array.from({ length: 12_000 }, (_, n) => `9${n + 10_000},0.01`).join('\n')}`;
  const imported = await importList({ kind: 'carrier', csv: deck }, { carrier: linkTo('carriers', carrier.id) });
  expect(imported.resource.attributes).toMatchObject({ state: 'valid', new_count: 12_000 });
  const scopes = [`kind=carrier&carrier=${carrier.id}`, 'kind=verifications', 'kind=channels', 'kind=emergency'];
  for (const query of scopes) {
    const [, kind = ''] = /^kind=(\w+)/.exec(query) ?? [];
    const csv = await exported(query);
    if (csv.trim().split('\r\n').length === 1) continue;
    const scope = kind === 'carrier' ? { carrier: linkTo('carriers', carrier.id) } : {};
    const again = await importList({ kind, csv, dry_run: true }, scope);
    expect([kind, again.status]).toEqual([kind, 201]);
    expect(again.resource.attributes).toMatchObject({ new_count: 0, changed_count: 0, removed_count: 0 });
  }
  const pool = await importList({ kind: 'channels', csv: 'pool,from_qty,setup_price,monthly_price\nStandard,30,9,19' });
  expect(pool.resource.attributes).toMatchObject({ state: 'valid', changed_count: 1 });
  expect(await exported('kind=channels')).toContain('Standard,30,9.0000,19.0000');
  expect((await operator.client.get('/prices.csv?kind=everything')).status).toBe(400);
});

test('prices of verifications are added once, changed and removed one by one, as the command does it', async () => {
  const path = '/verification_rates';
  const send = (method: string, id: string | null, attributes: object) =>
    operator.client.request(method, id === null ? path : `${path}/${id}`, {
      data: { type: 'verification_rates', ...(id === null ? {} : { id }), attributes },
    });
  const added = await send('POST', null, { delivery_method: 'sms', prefix: '48', amount: '0.0375', reason: 'agreed' });
  expect([added.status, added.resource.attributes]).toEqual([
    201,
    expect.objectContaining({ per: 'verification', delivery_method: 'sms', prefix: '48', amount: '0.0375' }),
  ]);
  const { id } = added.resource;
  const again = await send('POST', null, { delivery_method: 'sms', prefix: '48', amount: '1' });
  expect([again.status, again.text]).toEqual([422, expect.stringContaining('already')]);
  const perMessage = { per: 'message', delivery_method: 'sms', prefix: '48', amount: '0.01' };
  expect((await send('POST', null, perMessage)).status).toBe(201);
  expect((await send('PATCH', id, { amount: '0.00001' })).status).toBe(422);
  expect((await send('PATCH', id, { amount: '0.05' })).resource.attributes).toMatchObject({ amount: '0.05' });
  const found = await operator.client.get(`${path}?filter[prefix]=48&filter[per]=verification`);
  expect(found.resources.map((resource) => resource.id)).toEqual([id]);
  expect((await operator.client.request('DELETE', `${path}/${id}`)).status).toBe(204);
  expect((await operator.client.request('DELETE', `${path}/${id}`)).status).toBe(404);
  expect(await exported('kind=verifications')).toContain('message,sms,48,0.0100');
  const audit = await operator.client.get('/audit_entries?filter[subject_id]=sms 48 per verification');
  expect(audit.resources.map(({ attributes: { before, after, reason } }) => ({ before, after, reason }))).toEqual([
    { before: { amount: '0.0500' }, after: { amount: null }, reason: null },
    { before: { amount: '0.0375' }, after: { amount: '0.05' }, reason: null },
    { before: { amount: null }, after: { amount: '0.0375' }, reason: 'agreed' },
  ]);
});
