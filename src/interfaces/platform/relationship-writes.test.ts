/** Relationships of the platform that are written at their own URLs. */
import { beforeAll, describe, expect, test } from 'vitest';
import { openShop } from '../../../test/support/shop.ts';
import { useOpened } from '../../../test/support/use.ts';

/**
 * Relationship URLs of the types whose relationships can be written; the forms of errors are tested with the engine.
 */
const shop = useOpened(() => openShop());
let numbers: string[];
beforeAll(async () => {
  numbers = await shop.buyDids('london', 4);
});

let made = 0;
const post = async (type: string, attributes: object, relationships: object = {}): Promise<string> => {
  const data = { type, attributes: { name: `${type} ${++made}`, ...attributes }, relationships };
  const response = await shop.client.post(`/${type}`, { data });
  expect(response.errors).toEqual([]);
  return response.resource.id;
};
const configuration = {
  type: 'sip_configurations',
  attributes: { host: 'sip.example.net', codec_ids: [9, 10] },
};
const postTrunk = () => post('voice_in_trunks', { configuration });
const postOutTrunk = (attributes: object = {}) =>
  post('voice_out_trunks', {
    on_cli_mismatch_action: 'reject_call',
    authentication_method: { type: 'credentials_and_ip', attributes: { allowed_sip_ips: ['203.0.113.10'] } },
    ...attributes,
  });

const links = (type: string, ids: readonly (string | undefined)[]) => ids.map((id) => ({ type, id }));
const change = (method: string, record: string, name: string, data: unknown, headers = {}) =>
  shop.client.request(method, `/${record}/relationships/${name}`, { data }, { headers });
const linked = async (record: string, name: string): Promise<string[]> => {
  const { data } = (await shop.client.get(`/${record}/relationships/${name}`)).body;
  return (data as { id: string }[]).map(({ id }) => id).sort();
};

describe('the trunks of a group', () => {
  test('parallel requests for different trunks all stay, up to ten', async () => {
    const group = `voice_in_trunk_groups/${await post('voice_in_trunk_groups', {})}`;
    const trunks = await Promise.all(Array.from({ length: 11 }, postTrunk));
    const [eleventh, ...ten] = trunks;
    const added = await Promise.all(
      ten.map((id) => change('POST', group, 'voice_in_trunks', links('voice_in_trunks', [id]))),
    );
    expect(added.map(({ status }) => status)).toEqual(Array(10).fill(204));
    expect(await linked(group, 'voice_in_trunks')).toEqual([...ten].sort());
    const refused = await change('POST', group, 'voice_in_trunks', links('voice_in_trunks', [eleventh]));
    expect([refused.status, refused.errors[0]?.detail, refused.errors[0]?.source]).toEqual([
      422,
      'voice_in_trunks - is invalid',
      { pointer: '/data' },
    ]);
    const [first, second, ...rest] = ten;
    await Promise.all(
      [first, second].map((id) => change('DELETE', group, 'voice_in_trunks', links('voice_in_trunks', [id]))),
    );
    expect(await linked(group, 'voice_in_trunks')).toEqual([...rest].sort());
    await change('PATCH', group, 'voice_in_trunks', links('voice_in_trunks', [eleventh]));
    expect(await linked(group, 'voice_in_trunks')).toEqual([eleventh]);
  });

  test('an unknown trunk is refused as through the group, at /data', async () => {
    const group = `voice_in_trunk_groups/${await post('voice_in_trunk_groups', {})}`;
    const refused = await change('POST', group, 'voice_in_trunks', links('voice_in_trunks', [shop.accountId]));
    expect(refused.errors[0]).toMatchObject({ detail: 'trunk_ids - are invalid', source: { pointer: '/data' } });
  });

  test('a trunk leaves the group it was in, and its own side sees it', async () => {
    const trunk = await postTrunk();
    const [one, two] = [await post('voice_in_trunk_groups', {}), await post('voice_in_trunk_groups', {})];
    const record = `voice_in_trunks/${trunk}`;
    const set = { type: 'voice_in_trunk_groups', id: one };
    expect((await change('PATCH', record, 'voice_in_trunk_group', set)).status).toBe(204);
    await change('POST', `voice_in_trunk_groups/${two}`, 'voice_in_trunks', links('voice_in_trunks', [trunk]));
    expect(await linked(`voice_in_trunk_groups/${one}`, 'voice_in_trunks')).toEqual([]);
    const { data } = (await shop.client.get(`/${record}/relationships/voice_in_trunk_group`)).body;
    expect(data).toEqual({ type: 'voice_in_trunk_groups', id: two });
  });
});

describe('the numbers of an outbound trunk', () => {
  test('join and leave, in parallel too, and by the older version', async () => {
    const trunk = `voice_out_trunks/${await postOutTrunk()}`;
    const headers = { 'x-service-api-version': '2022-05-10' };
    const added = await Promise.all(numbers.map((id) => change('POST', trunk, 'dids', links('dids', [id]), headers)));
    expect(added.map(({ status }) => status)).toEqual(numbers.map(() => 204));
    expect(await linked(trunk, 'dids')).toEqual([...numbers].sort());
    const [first, ...rest] = numbers;
    expect((await change('DELETE', trunk, 'dids', links('dids', [first]))).status).toBe(204);
    expect(await linked(trunk, 'dids')).toEqual([...rest].sort());
    expect((await change('PATCH', trunk, 'dids', [], headers)).status).toBe(204);
    expect(await linked(trunk, 'dids')).toEqual([]);
  });

  test('rules of the trunk hold: a switch rules numbers out, emergency numbers must be enabled', async () => {
    const any = `voice_out_trunks/${await postOutTrunk({ allow_any_did_as_cli: true })}`;
    const ruledOut = await change('POST', any, 'dids', links('dids', [numbers[0]]));
    expect(ruledOut.errors[0]).toMatchObject({ detail: 'dids - must be blank', source: { pointer: '/data' } });
    const plain = `voice_out_trunks/${await postOutTrunk()}`;
    const disabled = await change('POST', plain, 'emergency_dids', links('dids', [numbers[0]]));
    expect(disabled.errors[0]).toMatchObject({ source: { pointer: `/data/${numbers[0]}` }, status: '422' });
  });

  test('one that may no longer be linked is in nobody’s way', async () => {
    const trunk = `voice_out_trunks/${await postOutTrunk()}`;
    const [blocked, other] = numbers;
    await change('PATCH', trunk, 'dids', links('dids', [blocked]));
    await shop.env.db
      .updateTable('dids')
      .set({ awaiting_registration: true })
      .where('id', '=', String(blocked))
      .execute();
    expect((await change('POST', trunk, 'dids', links('dids', [other]))).status).toBe(204);
    expect((await change('DELETE', trunk, 'dids', links('dids', [other]))).status).toBe(204);
    await shop.env.db
      .updateTable('dids')
      .set({ awaiting_registration: false })
      .where('id', '=', String(blocked))
      .execute();
  });
});

describe('the numbers that share channels', () => {
  test('join and leave; one that cannot have channels is pointed at', async () => {
    await shop.postCapacityOrder(4);
    const pool = { capacity_pool: { data: { type: 'capacity_pools', id: shop.poolId } } };
    const group = `shared_capacity_groups/${await post('shared_capacity_groups', { shared_channels_count: 1 }, pool)}`;
    const added = await Promise.all(numbers.map((id) => change('POST', group, 'dids', links('dids', [id]))));
    expect(added.map(({ status }) => status)).toEqual(numbers.map(() => 204));
    const [first, ...rest] = numbers;
    await change('DELETE', group, 'dids', links('dids', [first]));
    expect(await linked(group, 'dids')).toEqual([...rest].sort());
    const [fixed] = await shop.buyDids('fixed', 1);
    const refused = await change('POST', group, 'dids', links('dids', [first, fixed]));
    expect([refused.status, refused.errors[0]?.source]).toEqual([422, { pointer: '/data/1' }]);
    expect(await linked(group, 'dids')).toEqual([...rest].sort());
  });
});

test('a number is routed and detached by its own relationships', async () => {
  const did = `dids/${numbers[0]}`;
  const trunk = { type: 'voice_in_trunks', id: await postTrunk() };
  const routed = async () => (await shop.client.get(`/${did}/relationships/voice_in_trunk`)).body.data;
  expect((await change('PATCH', did, 'voice_in_trunk', trunk)).status).toBe(204);
  expect(await routed()).toEqual(trunk);
  const unknown = await change('PATCH', did, 'voice_in_trunk', { ...trunk, id: shop.accountId });
  expect([unknown.status, unknown.errors[0]?.source]).toEqual([422, { pointer: '/data' }]);
  expect((await change('PATCH', did, 'voice_in_trunk', null)).status).toBe(204);
  expect(await routed()).toBeNull();
  expect((await change('PATCH', did, 'identity', null)).errors[0]?.title).toBe('Complete replacement forbidden');
});
