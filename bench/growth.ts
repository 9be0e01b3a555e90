import { median, medianLatency } from './load.ts';
import type { Bench, Row } from './row.ts';
import { stockUp } from './stock.ts';
import { openWorld } from './world.ts';

const SIZES = [10_000, 1_000_000, 10_000_000] as const;
const ROUNDS = 5;
const REQUESTS = 40;

interface Call {
  name: string;
  query: (place: Place) => string;
  atMost: number;
}

interface Place {
  group: string;
  country: string;
}

const CALLS: Call[] = [
  { name: 'first page', query: () => 'include=did_group', atMost: 2 },
  { name: 'page 1,000', query: () => 'include=did_group&page[number]=1000', atMost: 2 },
  { name: 'one group', query: ({ group }) => `include=did_group&filter[did_group.id]=${group}`, atMost: 2 },
  {
    name: 'one group, deep page',
    query: ({ group }) => `include=did_group&filter[did_group.id]=${group}&page[number]=1000`,
    atMost: 2,
  },
  { name: 'one country', query: ({ country }) => `include=did_group&filter[country.id]=${country}`, atMost: 2 },
  {
    name: 'one country, page 1,000',
    query: ({ country }) => `include=did_group&filter[country.id]=${country}&page[number]=1000`,
    atMost: 2,
  },
  { name: 'number_contains, four digits', query: () => 'include=did_group&filter[number_contains]=4711', atMost: 3 },
  {
    name: 'number_contains, deep page',
    query: () => 'include=did_group&filter[number_contains]=4711&page[number]=1000',
    atMost: 3,
  },
];

/** How calls keep their speed while the stock grows a thousandfold, with exact totals. */
export const growth: Bench = {
  name: 'growth',
  run: async () => {
    const world = await openWorld();
    try {
      const served = new Map<number, { url: string; key: string; place: Place }>();
      for (const size of SIZES) {
        let place: Place = { group: '', country: '' };
        await world.prepare(`stock_${size}`, async (env) => {
          await stockUp(env, size);
          place = await busiestPlace(env.pool.query.bind(env.pool));
        });
        const { url, key } = await world.serve(`stock_${size}`, { TRUNKLINE_ROLES: 'api' });
        served.set(size, { url, key, place });
      }
      const rows: Row[] = [];
      for (const { name, query, atMost } of CALLS) {
        const times = new Map<number, number[]>(SIZES.map((size) => [size, []]));
        for (let round = 0; round < ROUNDS; round += 1) {
          for (const [size, { url, key, place }] of served) {
            const path = `/v3/available_dids?${query(place)}`;
            times.get(size)?.push(await medianLatency(url + path, { 'api-key': key }, REQUESTS));
          }
        }
        const at = (size: number) => median(times.get(size) ?? []);
        rows.push({
          measure: `available_dids, ${name}: 10 M / 10 k numbers`,
          ratio: at(10_000_000) / at(10_000),
          required: { atMost },
          note: SIZES.map((size) => `${at(size).toFixed(2)} ms`).join(', '),
        });
      }
      return rows;
    } finally {
      await world.close();
    }
  },
};

/** The group with the most stock, and its country. */
async function busiestPlace(
  query: (text: string) => Promise<{ rows: { did_group_id: string; country_id: string }[] }>,
): Promise<Place> {
  const { rows } =
    await query(`select b.did_group_id, g.country_id from stock_blocks b join did_groups g on g.id = b.did_group_id
    where g.available_dids_enabled group by 1, 2 order by sum(b.available) desc, 1 limit 1`);
  return { group: rows[0]?.did_group_id ?? '', country: rows[0]?.country_id ?? '' };
}
