/**
 * The stock as an operator runs it: held numbers are not sold, come back in time, and files are imported with a report.
 */
import { expect, test } from 'vitest';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { addOperator } from '../../../../test/support/operator.ts';
import { didItem, patchDid, postReservation } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';
import { verifyStockBlocks, verifyStockShelves } from '../../../business/catalogue/stock-blocks.ts';

const shop = useOpened(() => openShop());
const operator = useMade(() => addOperator(shop, 'support'));

const post = (type: string, attributes: object, relationships: object = {}) =>
  operator.client.request('POST', `/${type}`, { data: { type, attributes, relationships } });
const group = (id: string) => ({ data: { type: 'stock', id } });
const stockOf = async (id: string) => (await operator.client.get(`/stock/${id}`)).resource.attributes;
const held = async (filter = '') =>
  (await operator.client.get(`/held_numbers?page[size]=100${filter}`)).resources.map(({ attributes }) => attributes);
const inStock = async () => {
  const { rows } = await shop.env.pool.query('select number from available_dids order by number');
  return rows.map(({ number }) => number as string);
};

test('a quarantine takes numbers out of stock, holds owned ones when they return, and ends by itself', async () => {
  const numbers = await shop.stock('london', 3);
  const [didId] = await shop.buyDids('fixed');
  const owned = (await shop.client.get(`/dids/${didId}`)).resource.attributes?.number as string;
  const until = new Date(shop.clock.now().getTime() + 90 * 86_400_000).toISOString();
  const acted = await post('stock_actions', {
    action: 'quarantine',
    numbers: [numbers[0], `+${numbers[1]}`, owned, '15550000000'],
    until,
    reason: 'spam calls',
  });
  expect(acted.status, acted.text).toBe(201);
  expect(acted.resource.attributes).toMatchObject({ count: 2, owned: 1, skipped: 1 });
  expect(await inStock()).toEqual([numbers[2]]);
  expect(await stockOf(shop.groups.london)).toMatchObject({ available: 1, quarantined: 2 });
  expect(await held()).toHaveLength(3);

  // The owned number ends with its period and does not return to stock.
  await patchDid(shop.client, didId ?? '', { terminated: true });
  await advanceClock(shop.env, 80 * 86_400);
  expect((await shop.client.get('/dids')).resources).toEqual([]);
  expect(await inStock()).not.toContain(owned);
  await advanceClock(shop.env, 11 * 86_400);
  expect(await held()).toEqual([]);
  expect(await inStock()).toEqual([...numbers, owned].toSorted());
  const [release] = (await operator.client.get('/stock_actions')).resources;
  expect(release?.attributes).toMatchObject({ action: 'release', actor: 'system', count: 3 });
  expect([await verifyStockBlocks(shop.env.db), await verifyStockShelves(shop.env.db)]).toEqual([[], []]);
});

test('numbers that a customer has reserved stay; a withdrawn number is not imported again and can be released', async () => {
  const before = await inStock();
  const [first = ''] = await shop.stock('registered', 1);
  const second = '442087691801';
  const csv = `number,did_group_id\n${second},${shop.groups.registered}\n`;
  await post('catalogue_imports', { name: 'one.csv', content: csv });
  await runDueJobs(shop.env);
  expect(await inStock()).toContain(second);
  const { rows } = await shop.env.pool.query('select id from available_dids where number = $1', [first]);
  expect((await postReservation(shop.client, rows[0].id)).status).toBe(201);
  const acted = await post(
    'stock_actions',
    { action: 'withdraw', reason: 'given back to the carrier' },
    { did_group: group(shop.groups.registered) },
  );
  expect(acted.resource.attributes).toMatchObject({ count: 1, skipped: 1 });
  expect(await inStock()).toEqual([...before, first].toSorted());

  const refused = await post('catalogue_imports', { name: 'again.csv', content: csv });
  await runDueJobs(shop.env);
  const report = (await operator.client.get(`/catalogue_imports/${refused.resource.id}`)).resource.attributes;
  expect(report).toMatchObject({ status: 'failed', error_count: 1 });
  expect(report?.errors).toEqual([`line 2: ${second} is withdrawn: release it instead`]);
  await post('stock_actions', { action: 'release', numbers: [second], reason: 'ours again' });
  expect(await inStock()).toContain(second);
});

test('numbers move to a group whose prefix fits, with their ids, and to no other', async () => {
  const [number = ''] = await shop.stock('london', 1);
  const idOfNumber = async () =>
    (await shop.env.pool.query('select * from available_dids where number = $1', [number])).rows[0];
  const before = await idOfNumber();
  const move = { action: 'move', numbers: [number], reason: 'sorted' };
  const wrong = await post('stock_actions', move, { target_group: group(shop.groups.newyork) });
  expect([wrong.status, wrong.text]).toEqual([422, expect.stringContaining('does not begin with')]);
  expect(await idOfNumber()).toEqual(before);
  const moved = await post('stock_actions', move, { target_group: group(shop.groups.registered) });
  expect(moved.status, moved.text).toBe(201);
  expect(await idOfNumber()).toEqual({ ...before, did_group_id: shop.groups.registered });
  for (const [attributes, text] of [
    [{ action: 'withdraw', reason: 'x' }, 'Choose numbers'],
    [{ action: 'withdraw', numbers: ['12'], reason: 'x' }, 'not a number'],
    [{ action: 'quarantine', numbers: [number], until: '2020-01-01T00:00:00Z', reason: 'x' }, 'future'],
    [{ action: 'withdraw', numbers: [number], until: '2036-01-01T00:00:00Z', reason: 'x' }, 'Only a quarantine'],
    [move, 'needs a group'],
  ] as const) {
    const response = await post('stock_actions', attributes);
    expect([response.status, response.text]).toEqual([422, expect.stringContaining(text)]);
  }
});

test('an import is checked without storing, uploaded in parts, shown with progress, and feeds who waits', async () => {
  await shop.postOrder([didItem({ sku_id: shop.skus.london, qty: 15 })]);
  await runDueJobs(shop.env);
  const [waiting] = (await operator.client.get('/back_orders')).resources;
  expect(waiting?.attributes).toMatchObject({ qty: 15 });
  const lines = Array.from(
    { length: 2500 },
    (_, index) => `442070${String(index).padStart(6, '0')},${shop.groups.london}`,
  );
  const csv = `number,did_group_id\n${lines.join('\n')}\n`;
  const before = (await inStock()).length;
  const dry = await post('catalogue_imports', { name: 'many.csv', dry_run: true, content: csv });
  expect(dry.status, dry.text).toBe(201);
  await runDueJobs(shop.env);
  const shown = async (id: string) => (await operator.client.get(`/catalogue_imports/${id}`)).resource.attributes;
  expect(await shown(dry.resource.id)).toMatchObject({ status: 'done', numbers: 2500, progress: 100, error_count: 0 });
  expect(await inStock()).toHaveLength(before);

  const real = await post('catalogue_imports', { name: 'many.csv', reason: 'new block' });
  expect(await shown(real.resource.id)).toMatchObject({ status: 'awaiting_content' });
  const url = `${shop.url}/operator/v1/catalogue_imports/${real.resource.id}/content`;
  const headers = { 'api-key': operator.key, 'content-type': 'text/csv' };
  const unknown = url.replace(real.resource.id, '7c9e6679-7425-40de-944b-e07fc1f90ae7');
  expect((await fetch(unknown, { method: 'PUT', headers, body: 'x' })).status).toBe(404);
  const put = (body: string) => fetch(url, { method: 'PUT', headers, body });
  expect((await put('')).status).toBe(422);
  expect((await put(csv)).status).toBe(202);
  expect((await put(csv)).status).toBe(422);
  await runDueJobs(shop.env);
  expect(await shown(real.resource.id)).toMatchObject({ status: 'done', numbers: 2500, size: csv.length });
  expect((await operator.client.get('/back_orders')).resources).toEqual([]);
  const { rows } = await shop.env.pool.query('select count(*)::int as n from catalogue_import_parts');
  expect(rows[0].n).toBe(0);
  const entries = (await operator.client.get(`/audit_entries?filter[subject_id]=${real.resource.id}`)).resources;
  expect(entries.map(({ attributes }) => attributes?.action)).toEqual([
    'catalogue.imported',
    'catalogue.import_requested',
    'catalogue.import_requested',
  ]);
});
