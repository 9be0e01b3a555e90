/** Walks every type of `/v3` with a key of every area, on every way that leads to a type. */
import { beforeAll, describe, expect, test } from 'vitest';
import { capacityItem, didItem, patchDid, postOrder, postSharedGroup } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { createApiKey } from '../../../business/accounts/api-keys.ts';
import { readsOf } from '../../../engines/jsonapi/access.ts';
import { targetsOf } from '../../../engines/jsonapi/declare.ts';
import type { Facts } from '../../../engines/jsonapi/facts.ts';
import type { Resource } from '../../../engines/jsonapi/resource.ts';
import { areaOfType } from './access.ts';
import { resources } from './resources.ts';

const shop = useOpened(() => openShop());
const noRecord = '00000000-0000-4000-8000-000000000000';
const areas = [...new Set(areaOfType.values())];

const clientOf = async (...scopes: string[]) => {
  const { key } = await createApiKey(shop.env, shop.accountId, { name: scopes.join(), scopes });
  return shop.client.with({ key });
};

let did: string;
let trunk: string;
beforeAll(async () => {
  [did = ''] = await shop.buyDids('london');
  const configuration = {
    type: 'sip_configurations',
    attributes: {
      ...{ host: 'sip.example.net', codec_ids: [9], auth_enabled: true },
      ...{ auth_user: 'user', auth_password: 'hidden-from-scopes' },
    },
  };
  const made = await shop.client.post('/voice_in_trunks', {
    data: { type: 'voice_in_trunks', attributes: { name: 'trunk', configuration } },
  });
  trunk = made.resource.id;
  await patchDid(shop.client, did, {}, { voice_in_trunk: { data: { type: 'voice_in_trunks', id: trunk } } });
});

test('every type has an area, and every filter and sort key says which types it reads', () => {
  expect(resources.filter(({ type }) => !areaOfType.has(type)).map(({ type }) => type)).toEqual([]);
  const unnamed = resources.flatMap((resource) => [
    ...Object.entries(resource.filters).map(([name, filter]) => [resource.type, name, readsOf(resource, name, filter)]),
    ...Object.keys(resource.sort).map((name) => [resource.type, name, readsOf(resource, name)]),
  ]);
  const isKnown = (reads: unknown) => Array.isArray(reads) && reads.every((type) => areaOfType.has(type));
  expect(unnamed.filter(([, , reads]) => !isKnown(reads))).toEqual([]);
});

test('every attribute that a request may set to an id or to a number of the account says which type it names', () => {
  const writable = resources.flatMap((resource) =>
    Object.entries(resource.attributes).flatMap(([name, { facts, objectTypes, members }]) => {
      const nested = [...Object.values(objectTypes ?? {}), ...(members ? [members] : [])];
      return [[name, facts] as const, ...nested.flatMap((each) => Object.entries(each))]
        .filter(([, { create, update }]) => create || update)
        .map(([member, each]): [string, Facts] => [`${resource.type} ${member}`, each]);
    }),
  );
  const looksLikeName = ([path, { format }]: [string, Facts]) => format === 'uuid' || /did_number$/.test(path);
  const named = writable.filter(([, { names }]) => names !== undefined);
  expect(writable.filter(looksLikeName).map(([path]) => path)).toEqual(named.map(([path]) => path));
  expect(named.filter(([, { names = '' }]) => !areaOfType.has(names))).toEqual([]);
  expect(named.length).toBeGreaterThan(6);
});

/** Addresses that read a type in this way, each with the other types that they reach. */
function waysOf(resource: Resource): { path: string; types: readonly string[] }[] {
  const { path, type, singleton, filters, sort, relationships, endpoints, relationshipEndpoints } = resource;
  if (path === null) return [];
  const one = singleton ? path : `${path}/${noRecord}`;
  const list = endpoints.list ? path : one;
  const sampleOf = ({ enum: words, parse }: Resource['filters'][string]) =>
    words?.[0] ?? ['true', noRecord, '2026-06-15', '4045', '404', 'abc'].find((sample) => parse(sample) !== null);
  const readable = Object.entries(relationships).filter(([, { writeOnly }]) => !writeOnly);
  return [
    ...(endpoints.list ? [{ path, types: [type] }] : []),
    ...(endpoints.read ? [{ path: one, types: [type] }] : []),
    ...readable.flatMap(([name, relationship]) => {
      const types = [type, ...targetsOf(relationship)];
      const included = [{ path: `${list}?include=${name}`, types }];
      const routed = [`${one}/${name}`, `${one}/relationships/${name}`].map((each) => ({ path: each, types }));
      return [...included, ...(endpoints.read && relationshipEndpoints ? routed : [])];
    }),
    ...(endpoints.list ? Object.entries(filters) : []).map(([name, filter]) => ({
      path: `${path}?filter[${name}]=${sampleOf(filter)}`,
      types: [type, ...(readsOf(resource, name, filter) ?? [])],
    })),
    ...(endpoints.list ? Object.keys(sort) : []).map((name) => ({
      path: `${path}?sort=${name}`,
      types: [type, ...(readsOf(resource, name) ?? [])],
    })),
  ];
}

const extraWays = [
  { path: '/dids?include=voice_in_trunk.pop', types: ['dids', 'voice_in_trunks', 'pops'] },
  { path: '/dids?include=did_group.country', types: ['dids', 'did_groups', 'countries'] },
  { path: '/shared_capacity_groups?include=dids.voice_in_trunk', types: ['shared_capacity_groups', 'dids'] },
  { path: `/exports/${noRecord}.csv.gz`, types: ['exports'] },
];

describe.each(areas)('a key for %s', (area) => {
  test('reads what belongs to it, whichever way', async () => {
    const client = await clientOf(`${area}:read`);
    const wrong: unknown[] = [];
    // What begins at a type of another area is refused at its first step: two ways are enough there.
    const ways = resources.flatMap((resource) =>
      waysOf(resource).slice(0, areaOfType.get(resource.type) === area ? undefined : 2),
    );
    for (const { path, types } of [...ways, ...extraWays]) {
      // Its first request makes the keys, which takes long.
      if (path.startsWith('/public_keys')) continue;
      const { status } = await client.get(path);
      const isAllowed = types.every((type) => areaOfType.get(type) === area);
      if ((status === 403) === isAllowed) wrong.push([path, status, types]);
    }
    expect(wrong).toEqual([]);
  });

  test('writes what belongs to it, and a reading one nothing', async () => {
    const [whole, reading] = [await clientOf(area), await clientOf(`${area}:read`)];
    for (const { type, path, endpoints, singleton } of resources) {
      if (path === null) continue;
      const one = singleton ? path : `${path}/${noRecord}`;
      const requests = [
        ...(endpoints.create ? [['POST', path] as const] : []),
        ...(endpoints.update ? [['PATCH', one] as const] : []),
        ...(endpoints.delete ? [['DELETE', one] as const] : []),
      ];
      for (const [method, address] of requests) {
        const send = (client: typeof whole) => client.request(method, address, method === 'DELETE' ? undefined : {});
        const isAllowed = areaOfType.get(type) === area;
        expect([method, address, (await send(reading)).status]).toEqual([method, address, 403]);
        const { status } = await send(whole);
        expect([method, address, status === 403]).toEqual([method, address, !isAllowed]);
      }
    }
  });
});

test('numbers:read does not reach the password of a trunk', async () => {
  const client = await clientOf('numbers:read');
  const ways = [
    `/dids/${did}?include=voice_in_trunk`,
    '/dids?include=voice_in_trunk_group.voice_in_trunks',
    `/dids/${did}/voice_in_trunk`,
    `/dids/${did}/relationships/voice_in_trunk`,
    `/dids?filter[trunk.id]=${trunk}`,
    `/voice_in_trunks/${trunk}`,
  ];
  for (const way of ways) {
    const { status, text } = await client.get(way);
    expect([way, status, text.includes('hidden-from-scopes')]).toEqual([way, 403, false]);
  }
  const { key } = await createApiKey(shop.env, shop.accountId, { name: 'encoded', scopes: ['numbers:read'] });
  const encoded = await fetch(`${shop.url}/v%33/%64ids/${did}/voice%5fin_trunk`, { headers: { 'api-key': key } });
  expect(encoded.status).toBe(403);
  const older = await client
    .with({ headers: { 'x-service-api-version': '2022-05-10' } })
    .get(`/dids/${did}?include=voice_in_trunk`);
  expect(older.status).toBe(403);
});

test('a link reads the record that it names, and writes the one that holds it', async () => {
  const link = { voice_in_trunk: { data: { type: 'voice_in_trunks', id: trunk } } };
  expect((await patchDid(await clientOf('numbers'), did, {}, link)).status).toBe(403);
  expect((await patchDid(await clientOf('numbers', 'voice:read'), did, {}, link)).status).toBe(200);
  expect((await patchDid(await clientOf('numbers'), did, {}, { voice_in_trunk: { data: null } })).status).toBe(200);

  await shop.postCapacityOrder(2);
  const group = { name: 'of a scope', shared_channels_count: 1 };
  const post = async (...scopes: string[]) =>
    (await postSharedGroup(await clientOf(...scopes), shop.poolId, { ...group, name: scopes.join() }, [did])).status;
  expect([await post('voice'), await post('voice', 'numbers:read'), await post('voice', 'numbers')]).toEqual([
    403, 403, 201,
  ]);
});

test('an id or a number in an attribute is read, as a link is', async () => {
  const day = (date: Date) => date.toISOString().slice(0, 10);
  const now = shop.clock.now();
  const window = { from: `${day(new Date(now.getTime() - 86_400_000))} 00:00:00`, to: `${day(now)} 00:00:00` };
  const postExport = async (export_type: string, filters: object, ...scopes: string[]) => {
    const attributes = { export_type, filters: { ...window, ...filters } };
    return (await clientOf(...scopes)).post('/exports', { data: { type: 'exports', attributes } });
  };
  const byTrunk = { 'voice_out_trunk.id': noRecord };
  const refused = await postExport('cdr_out', byTrunk, 'account', 'numbers');
  expect([refused.status, refused.errors[0]?.detail]).toEqual([
    403,
    'The API key has no scope to read voice_out_trunks.',
  ]);
  expect((await postExport('cdr_out', byTrunk, 'account', 'voice:read')).status).toBe(201);
  expect((await postExport('cdr_in', { did_number: '442079460000' }, 'account', 'voice')).status).toBe(403);
  expect((await postExport('cdr_in', { did_number: '442079460000' }, 'account', 'numbers:read')).status).toBe(201);
  expect((await postExport('cdr_in', {}, 'account')).status).toBe(201);

  const buy = async (item: object, ...scopes: string[]) => (await postOrder(await clientOf(...scopes), [item])).status;
  const number = didItem({ sku_id: shop.skus.london });
  const channels = capacityItem({ capacity_pool_id: shop.poolId, qty: 2 });
  // What is bought is named by its id, and the catalogue is the same for everybody.
  expect([await buy(number, 'orders'), await buy(channels, 'orders')]).toEqual([201, 201]);
  expect([await buy(number, 'orders:read'), await buy(number, 'coverage', 'numbers', 'voice')]).toEqual([403, 403]);
});

test('a key that only orders reserves a number by its id, and reads nothing of the catalogue', async () => {
  await shop.stock('london', 2);
  const client = await clientOf('orders');
  const available_did = { data: { type: 'available_dids', id: await shop.availableDid('london') } };
  const body = { data: { type: 'did_reservations', attributes: {}, relationships: { available_did } } };
  const ways = ['?include=available_did', '?include=available_did.did_group', ''];
  const statuses = [];
  for (const way of ways) statuses.push((await client.post(`/did_reservations${way}`, body)).status);
  expect(statuses).toEqual([403, 403, 201]);
  expect((await client.get('/available_dids')).status).toBe(403);
});

test('an upload writes paperwork', async () => {
  const upload = async (...scopes: string[]) => {
    const { key } = await createApiKey(shop.env, shop.accountId, { name: scopes.join(), scopes });
    const form = new FormData();
    form.append('x', 'y');
    const init = { method: 'POST', headers: { 'api-key': key }, body: form };
    return (await fetch(`${shop.url}/v3/encrypted_files`, init)).status;
  };
  expect([await upload('account', 'numbers', 'orders'), await upload('regulation:read')]).toEqual([403, 403]);
  expect(await upload('regulation')).not.toBe(403);
});
