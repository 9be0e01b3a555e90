/** How calls keep their speed while the stock grows a thousandfold, with exact totals. */
import { median, medianLatency } from './load.ts';
import type { Bench, Row } from './row.ts';
import { stockUp } from './stock.ts';
import { openWorld } from './world.ts';

const sizes = [10_000, 1_000_000, 10_000_000] as const;
const rounds = 5;
const requests = 40;

interface Call {
  name: string;
  /** Below `/v3/`. */
  path: (place: Place) => string;
  atMost: number;
}

interface Place {
  group: string;
  country: string;
}

const numbers = (query: string) => `available_dids?include=did_group${query}`;
const groups = (query: string) => `did_groups?include=country,did_group_type,stock_keeping_units${query}`;

const measuredCalls: Call[] = [
  { name: 'available_dids, first page', path: () => numbers(''), atMost: 2 },
  { name: 'available_dids, page 1,000', path: () => numbers('&page[number]=1000'), atMost: 2 },
  { name: 'available_dids, one group', path: ({ group }) => numbers(`&filter[did_group.id]=${group}`), atMost: 2 },
  {
    name: 'available_dids, one group, page 1,000',
    path: ({ group }) => numbers(`&filter[did_group.id]=${group}&page[number]=1000`),
    atMost: 2,
  },
  { name: 'available_dids, one country', path: ({ country }) => numbers(`&filter[country.id]=${country}`), atMost: 2 },
  {
    name: 'available_dids, one country, page 1,000',
    path: ({ country }) => numbers(`&filter[country.id]=${country}&page[number]=1000`),
    atMost: 2,
  },
  { name: 'available_dids, four digits', path: () => numbers('&filter[number_contains]=4711'), atMost: 3 },
  {
    name: 'available_dids, four digits, page 1,000',
    path: () => numbers('&filter[number_contains]=4711&page[number]=1000'),
    atMost: 3,
  },
  { name: 'did_groups, three includes', path: () => groups(''), atMost: 2 },
  {
    name: 'did_groups, three includes, one country',
    path: ({ country }) => groups(`&filter[country.id]=${country}`),
    atMost: 2,
  },
];

export const growth: Bench = {
  name: 'growth',
  run: async () => {
    const world = await openWorld();
    try {
      const served = new Map<number, { url: string; key: string; place: Place }>();
      for (const size of sizes) {
        let place: Place = { group: '', country: '' };
        await world.prepare(`stock_${size}`, async (env) => {
          await stockUp(env, size);
          place = await busiestPlace(env.pool.query.bind(env.pool));
        });
        const { url, key } = await world.serve(`stock_${size}`, { TRUNKLINE_ROLES: 'api' });
        served.set(size, { url, key, place });
      }
      const rows: Row[] = [];
      for (const { name, path, atMost } of measuredCalls) {
        const times = new Map<number, number[]>(sizes.map((size) => [size, []]));
        for (let round = 0; round < rounds; round += 1) {
          for (const [size, { url, key, place }] of served) {
            const at = `${url}/v3/${path(place)}`;
            times.get(size)?.push(await medianLatency(at, { 'api-key': key }, requests));
          }
        }
        const at = (size: number) => median(times.get(size) ?? []);
        rows.push({
          measure: `${name}: 10 M / 10 k numbers`,
          ratio: at(10_000_000) / at(10_000),
          required: { atMost },
          note: sizes.map((size) => `${at(size).toFixed(2)} ms`).join(', '),
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
