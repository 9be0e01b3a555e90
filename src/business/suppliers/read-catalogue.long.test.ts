/** What a supplier offers is read page by page, whatever goes wrong on the way, and becomes a preview with prices. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { advanceClock, runDueJobs } from '../../../test/support/environment.ts';
import { addOperator } from '../../../test/support/operator.ts';
import { openBuyingShop } from '../../../test/support/suppliers.ts';
import { useMade, useOpened } from '../../../test/support/use.ts';
import { planReading } from './read-catalogue.ts';

const buying = useOpened(openBuyingShop);
const operator = useMade(() => addOperator(buying.retail));

interface NewSupplier {
  url?: string;
  api_key?: string;
  countries?: string[];
}

let made = 0;
async function added(
  settings: NewSupplier = {},
): Promise<{ id: string; attributes(): Promise<Record<string, unknown>> }> {
  made += 1;
  const usual = { name: `Read ${made}`, url: `${buying.wholesale.url}/v3`, api_key: buying.key, countries: ['GB'] };
  const attributes = { ...usual, markup_percent: '20', ...settings };
  const response = await operator.client.post('/suppliers', { data: { type: 'suppliers', attributes } });
  expect(response.status, response.text).toBe(201);
  expect(response.text).not.toContain(attributes.api_key);
  const { id } = response.resource;
  await runDueJobs(buying.retail.env);
  return { id, attributes: async () => (await operator.client.get(`/suppliers/${id}`)).resource.attributes };
}

const offersOf = async (id: string) =>
  (await operator.client.get(`/supplier_offers?filter[supplier.id]=${id}&page[size]=1000`)).resources.map(
    ({ attributes }) => attributes,
  );

test('what a supplier offers is shown with its cost, the price by the rules and ours, and nothing is sold', async () => {
  await buying.wholesale.stock('london', 2);
  const { id, attributes } = await added();
  expect(await attributes()).toMatchObject({ state: 'previewed', problem: null, groups: 2, progress: 100 });
  const rule = (attributes: object) =>
    operator.client.post('/supplier_price_rules', {
      data: {
        type: 'supplier_price_rules',
        attributes,
        relationships: { supplier: { data: { type: 'suppliers', id } } },
      },
    });
  const dear = (offers: Record<string, unknown>[]) => offers.find(({ channels }) => channels === 2);
  expect(dear(await offersOf(id))).toMatchObject({
    ...{ country: 'GB', type: 'Local', change: 'new', our_monthly_price: null },
    ...{ setup_cost: '0.5', setup_price: '0.6', monthly_cost: '2.0', monthly_price: '2.4' },
  });
  expect((await rule({ markup_percent: '5', least_margin: '0.30', rounded_to: '0.25' })).status).toBe(201);
  expect(dear(await offersOf(id))).toMatchObject({ setup_price: '0.75', monthly_price: '2.5' });
  expect((await rule({ country: 'GB', did_group_type: 'Local', markup_percent: '-50' })).status).toBe(201);
  expect(dear(await offersOf(id))).toMatchObject({ monthly_price: '2.0' });
  expect((await rule({ country: 'GB', did_group_type: 'Local', markup_percent: '1' })).status).toBe(422);
  expect((await buying.retail.client.get('/did_groups')).resources).toEqual([]);
});

test('every night a price that rose is found, and an offer that is gone', async () => {
  const { env } = buying.wholesale;
  const { id, attributes } = await added({ countries: ['US'] });
  expect(await offersOf(id)).toHaveLength(1);
  const group = buying.wholesale.groups.newyork;
  await env.pool.query('update stock_keeping_units set monthly_price = 3 where did_group_id = $1', [group]);
  await env.pool.query('update catalogue_version set version = gen_random_uuid()');
  await advanceClock(buying.retail.env, 86_400);
  expect(await attributes()).toMatchObject({ state: 'previewed' });
  expect(await offersOf(id)).toMatchObject([{ monthly_cost: '3.0' }]);
  await env.pool.query('delete from did_group_nanpa_prefixes where did_group_id = $1', [group]);
  await env.pool.query('delete from stock_keeping_units where did_group_id = $1', [group]);
  await env.pool.query('update catalogue_version set version = gen_random_uuid()');
  await advanceClock(buying.retail.env, 86_400);
  expect(await offersOf(id)).toEqual([]);
});

test.each([
  ['another key', { api_key: 'not-the-key-at-all' }, /^The supplier does not know the key: /],
  ['a country without numbers', { countries: ['FR'] }, /^The supplier cannot be used: it sells no numbers in FR\.$/],
])('%s is told in a sentence', async (_what, settings, sentence) => {
  const { attributes } = await added(settings);
  expect(await attributes()).toMatchObject({ state: 'failed', problem: expect.stringMatching(sentence) });
});

test.each([
  ['something else', 404, '{}', /^There is no \/v3 at the address of the supplier: /],
  ['an older platform', 200, '{"data":{},"meta":{"api_version":"2020-01-01"}}', /serves version 2020-01-01 of its/],
  ['a web page', 200, '<html>', /^The supplier answers in a way that cannot be used: /],
])('%s at the address is told in a sentence', async (_what, status, body, sentence) => {
  const other = await inFront(() => ({ status, body }));
  const { attributes } = await added({ url: `${other.url}/v3` });
  await other.close();
  expect(await attributes()).toMatchObject({ state: 'failed', problem: expect.stringMatching(sentence) });
});

test('a supplier that is ourselves, or that buys from us, is refused', async () => {
  const { retail, wholesale } = buying;
  const own = await added({ url: `${retail.url}/v3`, api_key: retail.key });
  expect(await own.attributes()).toMatchObject({
    state: 'failed',
    problem: expect.stringContaining('cannot supply itself'),
  });
  const seller = await addOperator(wholesale);
  const { key: ours } = await retail.addAccount({ name: 'Wholesale' });
  const attributes = { name: 'Circle', url: `${retail.url}/v3`, api_key: ours, countries: ['GB'] };
  const { resource } = await seller.client.post('/suppliers', { data: { type: 'suppliers', attributes } });
  await runDueJobs(wholesale.env);
  expect((await seller.client.get(`/suppliers/${resource.id}`)).resource.attributes).toMatchObject({
    state: 'failed',
    problem: expect.stringContaining('comes back to this platform'),
  });
});

test('2,700 groups are read in at most 60 requests, though pages are limited, cut short, refused and dropped', async () => {
  const { wholesale, retail } = buying;
  await wholesale.env.pool.query(
    `with made as (
       insert into did_groups (id, country_id, did_group_type_id, prefix, area_name, features)
       select gen_random_uuid(), g.country_id, g.did_group_type_id, n::text, 'Area ' || n, g.features
       from generate_series(1000, 3698) n, did_groups g where g.id = $1 returning id)
     insert into stock_keeping_units (id, did_group_id, setup_price, monthly_price, channels_included_count)
     select gen_random_uuid(), id, 1, 2, 2 from made`,
    [wholesale.groups.fixed],
  );
  const faults: Record<number, Fault> = {
    5: { status: 429, body: '{}', headers: { 'retry-after': '3' } },
    9: { status: 200, body: '{"data": [' },
    12: { status: 503, body: '' },
    15: 'dropped',
  };
  const proxy = await inFront((count) => faults[count] ?? null);
  const { id, attributes } = await added({ url: `${proxy.url}/v3`, countries: ['DE'] });
  await advanceClock(retail.env, 300);
  expect(await attributes()).toMatchObject({ state: 'previewed', problem: null, groups: 2_700 });
  expect(proxy.count()).toBeLessThanOrEqual(60);
  expect(proxy.count()).toBe(2 + 27 + Object.keys(faults).length);
  const log = (await operator.client.get(`/supplier_requests?filter[supplier.id]=${id}`)).resources;
  const outcomes = new Set(log.map(({ attributes: { outcome } }) => outcome));
  expect([...outcomes].sort()).toEqual(['done', 'garbage', 'limited', 'unknown']);
  // Asked for twice while it is read, it is one reading.
  await planReading(retail.env, id);
  await planReading(retail.env, id);
  await runDueJobs(retail.env);
  expect(await attributes()).toMatchObject({ state: 'previewed', groups: 2_700 });
  await proxy.close();
});

type Fault = { status: number; body: string; headers?: Record<string, string> } | 'dropped';

/** Stands in front of the wholesale side, and does to a request what `fault` says of its number. */
async function inFront(fault: (count: number) => Fault | null) {
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests += 1;
    const wrong = fault(requests);
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => name !== 'host' && name !== 'connection'),
    );
    const given = { headers: headers as Record<string, string> };
    const answer = await fetch(`${buying.wholesale.url}${request.url}`, given);
    if (wrong === 'dropped') return request.socket.destroy();
    if (wrong !== null) return response.writeHead(wrong.status, wrong.headers).end(wrong.body);
    response.writeHead(answer.status).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
