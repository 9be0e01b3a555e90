/** Programs of former years, sent with curl as they were written then. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { testKeys } from '../../../../test/support/encrypted-upload.ts';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { didItem, postOrder } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { createApiKey } from '../../../business/accounts/api-keys.ts';

const shop = useOpened(() => openShop());
let did: string;
beforeAll(async () => {
  [did = ''] = await shop.buyDids('london');
});

interface Reply {
  status: number;
  headers: string;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a program reads what it knows to be there.
  body: any;
}

/** One call of curl; `version` goes into the header that client libraries have always sent. */
async function curl(
  version: string,
  method: string,
  path: string,
  body?: unknown,
  more: string[] = [],
  key = shop.key,
) {
  const address = path.startsWith('http') ? path : `${shop.url}/v3${path}`;
  const sent = body === undefined ? [] : ['-H', 'Content-Type: application/vnd.api+json', '-d', JSON.stringify(body)];
  const headers = ['-H', `Api-Key: ${key}`, '-H', `X-DIDWW-API-Version: ${version}`];
  const { stdout } = await promisify(execFile)('curl', ['-sgi', '-X', method, ...headers, ...sent, ...more, address]);
  const [head = '', ...rest] = stdout.split('\r\n\r\n');
  const text = rest.join('\r\n\r\n');
  const isJson = /content-type: application\/(vnd\.api\+)?json/i.test(head);
  const reply: Reply = {
    status: Number(/^HTTP\/\S+ (\d+)/.exec(head)?.[1]),
    headers: head,
    text,
    body: isJson ? JSON.parse(text) : null,
  };
  return reply;
}

const create = (type: string, attributes: object, relationships?: object) => ({
  data: { type, attributes, ...(relationships ? { relationships } : {}) },
});
const sip = { type: 'sip_configurations', attributes: { host: 'sip.example.net', codec_ids: [9, 10] } };

describe.each(['2017-09-18', '2021-04-19'])('trunks of %s', (version) => {
  const send = (method: string, path: string, body?: unknown) => curl(version, method, path, body);

  test('a group, a trunk in it, and a number that leads there', async () => {
    const group = await send('POST', '/trunk_groups', create('trunk_groups', { name: version, capacity_limit: 100 }));
    expect([group.status, group.body.data.type, group.body.data.meta]).toEqual([
      201,
      'trunk_groups',
      { trunks_count: 0 },
    ]);
    expect(group.body.data.relationships.trunks.links.related).toBe(
      `${shop.url}/v3/trunk_groups/${group.body.data.id}/trunks`,
    );
    const link = { type: 'trunk_groups', id: group.body.data.id };
    const trunk = await send(
      'POST',
      '/trunks?include=trunk_group',
      create('trunks', { name: `trunk ${version}`, configuration: sip }, { trunk_group: { data: link } }),
    );
    expect([trunk.status, trunk.body.data.type]).toEqual([201, 'trunks']);
    expect(trunk.body.data.relationships.trunk_group.data).toEqual(link);
    expect(trunk.body.included.map(({ type }: { type: string }) => type)).toEqual(['trunk_groups']);
    expect(trunk.body.data.attributes.configuration.attributes).not.toHaveProperty('media_encryption_mode');
    const { id } = trunk.body.data;

    const routed = await send('PATCH', `/dids/${did}?include=trunk`, {
      data: { type: 'dids', id: did, relationships: { trunk: { data: { type: 'trunks', id } } } },
    });
    expect([routed.status, routed.body.data.relationships.trunk.data]).toEqual([200, { type: 'trunks', id }]);
    const found = await send('GET', `/dids?filter[trunk.id]=${id}&fields[trunks]=name&include=trunk`);
    expect([found.body.data.length, found.body.included[0].attributes]).toEqual([1, { name: `trunk ${version}` }]);

    const linkage = await send('PATCH', `/dids/${did}/relationships/trunk_group`, { data: link });
    expect(linkage.status).toBe(204);
    const related = await send('GET', `/dids/${did}/trunk_group?include=trunks`);
    expect([related.body.data.id, related.body.included[0].id]).toEqual([link.id, id]);
    expect((await send('GET', `/trunk_groups/${link.id}/relationships/trunks`)).body.data).toEqual([
      { type: 'trunks', id },
    ]);
  });

  test('errors name what the program knows', async () => {
    const both = {
      trunk: { data: { type: 'trunks', id: did } },
      trunk_group: { data: { type: 'trunk_groups', id: did } },
    };
    const refused = await send('PATCH', `/dids/${did}`, { data: { type: 'dids', id: did, relationships: both } });
    expect(refused.body.errors.map(({ source, detail }: never) => [source, detail])).toEqual([
      [{ pointer: '/data/attributes/trunk_id' }, 'trunk - is invalid'],
      [{ pointer: '/data/attributes/trunk_group_id' }, 'trunk_group - is invalid'],
    ]);
    const newName = await send('POST', '/trunks', create('voice_in_trunks', {}));
    expect([newName.status, newName.body.errors[0].detail]).toEqual([400, 'voice_in_trunks is not a valid resource.']);
    const mode = { ...sip, attributes: { ...sip.attributes, media_encryption_mode: 'srtp' } };
    const unknown = await send('POST', '/trunks', create('trunks', { name: 'x', configuration: mode }));
    expect([unknown.status, unknown.body.errors[0].detail]).toEqual([400, 'media_encryption_mode is not allowed.']);
    for (const path of [
      '/voice_in_trunks',
      `/dids/${did}/voice_in_trunk`,
      `/dids/${did}/relationships/voice_in_trunk`,
    ]) {
      const { status, body } = await send('GET', path);
      expect([status, body.errors[0].detail]).toEqual([404, `The path /v3${path} could not be found.`]);
    }
  });
});

test.each(['2017-09-18', '2021-04-19'])(
  'cdr_exports of %s, with filters as texts and a plain file',
  async (version) => {
    const now = shop.env.clock.now();
    const filters = {
      year: String(now.getUTCFullYear()),
      month: String(now.getUTCMonth() + 1),
      did_number: '123456789',
    };
    const callback =
      version === '2017-09-18' ? {} : { callback_url: 'https://hooks.example.test/x', callback_method: 'POST' };
    const made = await curl(version, 'POST', '/cdr_exports', create('cdr_exports', { filters, ...callback }));
    expect([made.status, made.body.data.type]).toEqual([201, 'cdr_exports']);
    expect(made.body.data.attributes).toMatchObject({ filters, status: 'Pending', url: null, ...callback });
    const { id } = made.body.data;
    await runDueJobs(shop.env);
    const done = await curl(version, 'GET', `/cdr_exports/${id}`);
    expect(done.body.data.attributes).toMatchObject({
      status: 'Completed',
      url: expect.stringMatching(/cdr_exports\/.*\.csv$/),
    });
    expect(done.body.data.attributes).not.toHaveProperty('export_type');
    const file = await curl(version, 'GET', done.body.data.attributes.url);
    expect([file.status, file.text.split(',')[0]]).toEqual([200, 'Date/Time Start (UTC)']);
    expect(file.headers).toMatch(/content-type: text\/csv/i);

    const { rows } = await shop.env.pool.query('select payload from deliveries where resource_id = $1', [id]);
    expect(rows.map(({ payload }) => payload)).toEqual(
      version === '2017-09-18' ? [] : [{ id, type: 'cdr_exports', status: 'completed' }],
    );
    const day = await curl(
      version,
      'POST',
      '/cdr_exports',
      create('cdr_exports', { filters: { ...filters, day: '1' } }),
    );
    expect([day.status, day.body.errors[0].detail]).toEqual([400, 'day is not allowed.']);
    const outgoing = await shop.client.post('/exports', {
      data: {
        type: 'exports',
        attributes: { export_type: 'cdr_out', filters: { from: '2026-06-01', to: '2026-06-02' } },
      },
    });
    expect((await curl(version, 'GET', `/cdr_exports/${outgoing.resource.id}`)).status).toBe(404);
  },
);

test('pending_removal of 2017-09-18', async () => {
  const change = (attributes: object) =>
    curl('2017-09-18', 'PATCH', `/dids/${did}`, { data: { type: 'dids', id: did, attributes } });
  const counted = async () => (await shop.client.get(`/dids/${did}`)).resource.attributes.billing_cycles_count;
  const removed = await change({ pending_removal: true });
  expect([removed.status, removed.body.data.attributes.pending_removal, await counted()]).toEqual([200, true, 0]);
  expect(removed.body.data.attributes).not.toHaveProperty('billing_cycles_count');
  expect((await curl('2017-09-18', 'GET', '/dids?filter[pending_removal]=true')).body.data).toHaveLength(1);
  expect((await shop.client.get('/dids?filter[pending_removal]=true')).resources).toHaveLength(1);
  const kept = await change({ pending_removal: false });
  expect([kept.body.data.attributes.pending_removal, await counted()]).toEqual([false, null]);
  const some = await change({ billing_cycles_count: 999 });
  expect([some.status, some.body.data.attributes.pending_removal, await counted()]).toEqual([200, false, 999]);
  await change({ pending_removal: false });
});

test('orders with callbacks, and a deleted one', async () => {
  const items = [didItem({ sku_id: shop.skus.london, qty: 1 })];
  const callback = { callback_url: 'https://hooks.example.test/order', callback_method: 'POST' };
  await shop.stock('london', 1);
  const order = await curl('2021-04-19', 'POST', '/orders', create('orders', { items, ...callback }));
  expect([order.status, order.body.data.attributes]).toMatchObject([201, { ...callback, status: 'Pending' }]);
  await runDueJobs(shop.env);
  const read = await curl('2021-12-15', 'GET', `/orders/${order.body.data.id}`);
  expect(read.body.data.attributes).toMatchObject({ status: 'Completed', callback_method: 'POST' });
  const refused = await curl('2017-09-18', 'POST', '/orders', create('orders', { items, ...callback }));
  expect(refused.body.errors.map(({ detail }: { detail: string }) => detail)).toEqual([
    'callback_url is not allowed.',
    'callback_method is not allowed.',
  ]);
  const waits = await postOrder(shop.client, [didItem({ sku_id: shop.skus.london, qty: 100 })], {
    allow_back_ordering: true,
  });
  const deleted = await curl('2017-09-18', 'DELETE', `/orders/${waits.resource.id}`);
  expect([deleted.status, deleted.text]).toEqual([202, '']);
  const prefix = [didItem({ sku_id: shop.skus.newyork, qty: 1, nanpa_prefix_id: shop.nanpaPrefixId })];
  const unknown = await curl('2021-12-15', 'POST', '/orders', create('orders', { items: prefix }));
  expect([unknown.status, unknown.body.errors[0].detail]).toEqual([400, 'nanpa_prefix_id is not allowed.']);
});

test('a batch of uploads', async () => {
  const { fingerprint } = await testKeys(shop.env);
  const form = (content: string) => ['-F', `encrypted_files[items][][file]=${content};filename=x.enc`];
  const parts = ['-F', `encrypted_files[encryption_fingerprint]=${fingerprint}`, ...form('one'), ...form('two')];
  const sent = await curl('2021-04-19', 'POST', '/encrypted_files', undefined, parts);
  expect([sent.status, sent.body.ids.length]).toEqual([201, 2]);
  const unknown = await curl('2017-09-18', 'POST', '/encrypted_files', undefined, parts);
  expect([unknown.status, unknown.body.errors[0].detail]).toEqual([
    404,
    'The path /v3/encrypted_files could not be found.',
  ]);
});

test('features and names as each version spells them', async () => {
  const features = async (version: string) =>
    (await curl(version, 'GET', `/did_groups/${shop.groups.london}`)).body.data.attributes.features;
  expect(await Promise.all(['2017-09-18', '2021-12-15'].map(features))).toEqual([
    ['voice', 't38'],
    ['voice_in', 't38'],
  ]);
  const found = async (version: string, query: string) =>
    (await curl(version, 'GET', `/did_groups?${query}`)).body.data?.length ?? 'refused';
  expect(await found('2021-04-19', 'filter[features]=voice')).toBe(4);
  expect(await found('2021-04-19', 'filter[features]=voice_in')).toBe('refused');
  expect(await found('2021-12-15', 'filter[local_prefix]=')).toBe(4);
  const countries = async (version: string) =>
    (await curl(version, 'GET', '/countries?filter[name]=germany')).body.data.length;
  expect([await countries('2021-12-15'), await countries('2022-05-10')]).toEqual([0, 1]);
  const { meta } = (await curl('2017-09-18', 'GET', `/did_groups/${shop.groups.london}`)).body.data;
  expect(meta).toHaveProperty('restrictions');
  const person = { identity_type: 'Personal', first_name: 'A', last_name: 'B', phone_number: '+49 (30) 123' };
  const made = await curl('2021-12-15', 'POST', '/identities', create('identities', person));
  expect([made.status, made.body.data.attributes.phone_number]).toEqual([201, person.phone_number]);
  expect((await curl('2022-05-10', 'POST', '/identities', create('identities', person))).status).toBe(422);
});

test('a scope, a key of a repeated create and the log go by the route, whatever it is called', async () => {
  const { key } = await createApiKey(shop.env, shop.accountId, { name: 'numbers', scopes: ['numbers'] });
  const ask = (path: string) => curl('2021-04-19', 'GET', path, undefined, [], key);
  for (const path of ['/trunks', '/%74runks', '/trunk_groups', `/dids/${did}/trunk`, '/dids?include=trunk']) {
    expect([path, (await ask(path)).status]).toEqual([path, 403]);
  }
  for (const path of ['/dids?filter[trunk.id]=', `/dids/${did}/relationships/trunk_group`]) {
    expect([path, (await ask(path)).status]).toEqual([path, 403]);
  }
  expect((await ask('/trunks')).body.errors[0].detail).toBe('The API key has no scope to read trunks.');
  expect((await ask('/voice_in_trunks')).status).toBe(404);

  const once = ['-H', 'Idempotency-Key: one and the same'];
  const group = (type: string) => create(type, { name: 'made once' });
  const first = await curl('2021-04-19', 'POST', '/trunk_groups', group('trunk_groups'), once);
  const again = await curl('2021-12-15', 'POST', '/voice_in_trunk_groups', group('voice_in_trunk_groups'), once);
  expect([again.status, again.body.data.id, again.body.data.type, again.body.meta.api_version]).toEqual([
    201,
    first.body.data.id,
    'voice_in_trunk_groups',
    '2021-12-15',
  ]);
});

test('what cannot be served says so', async () => {
  const ignored = await curl('1999-01-01', 'GET', '/countries');
  expect([ignored.status, ignored.body.meta.api_version]).toEqual([200, '2026-04-16']);
  expect(ignored.headers).toMatch(/x-api-version-ignored: 1999-01-01/i);
  const twice = await curl('2021-04-19', 'GET', '/countries', undefined, ['-H', 'X-DIDWW-API-Version: 2022-05-10']);
  expect(twice.body.meta.api_version).toBe('2026-04-16');
  expect(twice.headers).toMatch(/x-api-version-ignored: 2021-04-19, 2022-05-10/i);
  expect((await curl('2021-04-19', 'GET', '/countries')).headers).not.toMatch(/x-api-version-ignored/i);
});
