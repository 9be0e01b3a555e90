/** What the filters and orders of coverage and number groups find. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../../test/support/server.ts';
import { idOf, loadSmallCatalogue } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';

const server = useOpened(() => startTestServer());
beforeAll(() => loadSmallCatalogue(server.env));
const get: TestServer['client']['get'] = (...request) => server.client.get(...request);

/** What a filtered collection shows of each record, in alphabetical order. */
async function found(path: string, attribute = 'name'): Promise<unknown[]> {
  const { resources } = await get(path);
  return resources.map(({ attributes }) => attributes[attribute]).sort();
}
const groups = (query: string) => found(`/did_groups?${query}`, 'area_name');
const numbers = (query: string) => found(`/available_dids?${query}`, 'number');
const prefixes = (query: string) => found(`/nanpa_prefixes?${query}`, 'nxx');

describe('filters', () => {
  test('names are found in any case, codes are not; some filters find records without a value', async () => {
    expect(await found('/countries?filter[iso]=gb')).toEqual([]);
    expect(await found('/did_group_types?filter[name]=local')).toEqual([]);
    expect(await found('/countries?filter[name]=uNITED kINGDOM,GERMANY')).toEqual(['Germany', 'United Kingdom']);
    expect(await groups('filter[area_name]=LONDON')).toEqual(['London']);
    expect(await found('/countries?filter[prefix]=')).toEqual(['Antarctica']);
    expect(await groups('filter[city.id]=')).toEqual(['Leeds', 'Mobile']);
  });

  test('nested keys reach through a relationship', async () => {
    expect(await found(`/regions?filter[country.id]=${idOf('countries', 'US')}`)).toEqual(['California', 'New York']);
    expect(await found(`/cities?filter[area.id]=${idOf('areas', 'Greater London')}`)).toEqual(['London']);
    expect(await groups(`filter[nanpa_prefix.id]=${idOf('nanpa_prefixes', '212555')}`)).toEqual(['New York']);
    expect(await groups('filter[nanpa_prefix.npanxx]=212556,999999')).toEqual(['New York']);
  });

  test('features: all that are listed must be offered', async () => {
    expect(await groups('filter[features]=voice_in')).toHaveLength(5);
    expect(await groups('filter[features]=voice_out,voice_in')).toEqual(['London', 'New York']);
    expect(await groups('filter[features]=voice_out,p2p')).toEqual([]);
    expect(await prefixes('filter[did_group.features]=voice_in,emergency')).toEqual(['555', '556']);
    expect(await numbers('filter[did_group.features]=p2p')).toEqual(['493012345678']);
  });

  test('boolean: true and false', async () => {
    expect(await groups('filter[is_metered]=true')).toEqual(['Berlin']);
    expect(await groups('filter[is_metered]=false')).toHaveLength(4);
    expect(await groups('filter[needs_registration]=true')).toEqual(['Berlin']);
    expect(await groups('filter[available_dids_enabled]=false')).toEqual(['Leeds']);
    expect(await groups('filter[allow_additional_channels]=false')).toEqual([]);
    expect(await numbers('filter[did_group.needs_registration]=true')).toEqual(['493012345678']);
  });

  test('is_available: orderable now, from stock or back order', async () => {
    expect(await groups('filter[is_available]=true')).toEqual(['Berlin', 'Leeds', 'London', 'New York']);
    expect(await groups('filter[is_available]=false')).toEqual(['Mobile']);
    expect(await prefixes('filter[did_group.is_available]=true')).toEqual(['555', '556']);
    expect(await prefixes('filter[did_group.is_available]=false')).toEqual(['555']);
  });

  test('is_available of a place: false means it has groups but none that can be bought', async () => {
    expect(await found('/countries?filter[is_available]=true')).toEqual(['Germany', 'United Kingdom', 'United States']);
    expect(await found('/countries?filter[is_available]=false')).toEqual([]);
    expect(await found('/cities?filter[is_available]=true')).toEqual(['Berlin', 'London', 'New York']);
  });

  test('range: at least', async () => {
    expect(await groups('filter[meta.total_count_gteq]=3')).toEqual(['London', 'New York']);
    expect(await groups('filter[meta.total_count_gteq]=4')).toEqual([]);
    expect(await groups('filter[meta.total_count_gteq]=0')).toHaveLength(5);
  });

  test('contains', async () => {
    expect(await prefixes('filter[npanxx]=2555')).toEqual(['555']);
    expect(await prefixes('filter[npanxx]=55')).toEqual(['555', '555', '556']);
    expect(await numbers('filter[number_contains]=5550')).toEqual(['12125550123', '12125550124']);
    expect(await numbers('filter[number_contains]=880')).toEqual(['442037691880']);
    expect(await numbers('filter[number_contains]=6920')).toEqual(['442037692000']);
  });

  test('number_contains may be shorter than three digits when a place or a group narrows it', async () => {
    expect((await get('/available_dids?filter[number_contains]=88')).errors).toEqual([
      {
        title: 'Invalid filter value',
        detail: '88 is not a valid value for number_contains.',
        code: '107',
        status: '400',
      },
    ]);
    const gb = idOf('countries', 'GB');
    expect(await numbers(`filter[number_contains]=88&filter[country.id]=${gb}`)).toEqual([
      '442037691880',
      '442037691881',
    ]);
    expect(
      await numbers(`filter[number_contains]=1&filter[did_group.id]=${idOf('did_groups', 'Berlin')}`),
    ).toHaveLength(1);
  });

  test('available_dids shows only groups whose numbers can be picked, in a stable order', async () => {
    const { resources } = await get('/available_dids');
    expect(resources.map(({ attributes }) => attributes.number)).toEqual([
      '12125550123',
      '12125550124',
      '12125560100',
      '442037691880',
      '442037691881',
      '442037692000',
      '493012345678',
    ]);
  });

  test.each([
    ['did_group_type.id', idOf('did_group_types', 'Local'), 7],
    ['country.id', idOf('countries', 'US'), 3],
    ['region.id', idOf('regions', 'England'), 3],
    ['city.id', idOf('cities', 'Berlin'), 1],
    ['nanpa_prefix.id', idOf('nanpa_prefixes', '212556'), 1],
    ['did_group.id', `${idOf('did_groups', 'London')},${idOf('did_groups', 'Berlin')}`, 4],
    ['id', idOf('available_dids', '12125560100'), 1],
    ['did_group.id', '', 0],
  ])('available_dids by %s', async (filter, value, count) => {
    const response = await get(`/available_dids?filter[${filter}]=${value}`);
    expect([response.resources.length, response.meta.total_records]).toEqual([count, count]);
  });
});

describe('sort', () => {
  test('names stand as people read them, and are found by any case', async () => {
    const country = idOf('countries', 'AQ');
    for (const name of ['Zwolle', 'Åland', 'Žilina', 'DeKalb', 'Dearborn', 'Aachen']) {
      await server.env.pool.query('insert into areas values (gen_random_uuid(), $1, $2)', [country, name]);
    }
    const names = async (query: string) =>
      (await get(`/areas?filter[country.id]=${country}${query}`)).resources.map(({ attributes }) => attributes.name);
    const order = ['Aachen', 'Åland', 'Dearborn', 'DeKalb', 'Žilina', 'Zwolle'];
    expect(await names('')).toEqual(order);
    expect(await names('&sort=-name')).toEqual(order.toReversed());
    expect(await names('&filter[name]=žILINA,ÅLAND')).toEqual(['Åland', 'Žilina']);
  });

  const order = async (query: string) =>
    (await get(`/countries?${query}`)).resources.map(({ attributes }) => attributes.iso).join(' ');

  test("by a related record's name", async () => {
    const { resources } = await get('/did_groups?sort=-did_group_type.name,area_name');
    expect(resources.map(({ attributes }) => attributes.area_name)).toEqual([
      'Mobile',
      'Berlin',
      'Leeds',
      'London',
      'New York',
    ]);
  });

  test('without a key, the order of the type: countries by name', async () => {
    expect(await order('')).toBe('AQ DE GB US');
  });
});
