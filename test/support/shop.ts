/** A server with something to sell: a few groups with their prices, numbers in stock, a channel pool, a customer with money. */

import type { Pool } from 'pg';
import { advanceClock } from './environment.ts';
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts';
import { idOf } from './small-catalogue.ts';

export type GroupName = 'london' | 'registered' | 'fixed' | 'newyork';

/** What is sold, in a database that has no catalogue yet. */
export interface Goods {
  /** Ids of groups by name: london, registered (needs a registration), fixed (no channels, no back orders), newyork. */
  readonly groups: Readonly<Record<GroupName, string>>;
  /** Each group sells at setup 0.5 and 2.0 a month with two channels; `free` costs nothing. */
  readonly skus: Readonly<Record<GroupName | 'free', string>>;
  readonly nanpaPrefixId: string;
  stock(group: GroupName, count: number): Promise<string[]>;
  availableDid(group: GroupName): Promise<string>;
}

export interface Shop extends TestServer, Goods {
  /** 25.0 setup, 25.0 a month, at least 2 an order, 20.0 a month from 30 channels on; covers the United Kingdom. */
  readonly poolId: string;
  order(items: object[], more?: object, headers?: Record<string, string>): ReturnType<TestServer['client']['post']>;
  balance(): Promise<string>;
  /** The numbers an order brought, and how far it is. */
  numbersOf(orderId: string): Promise<unknown[]>;
  statusOf(orderId: string): Promise<unknown>;
  /** Channels of the pool, by an order. */
  orderChannels(qty: number, more?: object): ReturnType<TestServer['client']['post']>;
  /** The pool's attributes. */
  pool(): Promise<Record<string, unknown>>;
}

const bases: Record<GroupName, string> = {
  london: '4420376918',
  registered: '4420876918',
  fixed: '4930376918',
  newyork: '1212555',
};

const groupNames = Object.keys(bases) as GroupName[];

export async function openShop(options: TestServerOptions = {}): Promise<Shop> {
  const server = await startTestServer({ account: { balance: '1000' }, ...options });
  const goods = await layOutGoods(server.env.pool);
  const pools = await server.env.pool.query('select id from capacity_pools where account_id = $1', [server.accountId]);
  const poolId: string = pools.rows[0].id;
  const order: Shop['order'] = (items, more = {}, headers = {}) =>
    server.client.post('/orders', { data: { type: 'orders', attributes: { items, ...more } } }, { headers });
  return {
    ...server,
    ...goods,
    poolId,
    order,
    async balance() {
      return String((await server.client.get('/balance')).resource.attributes.balance);
    },
    async numbersOf(orderId) {
      const { resources } = await server.client.get(`/dids?filter[order.id]=${orderId}`);
      return resources.map(({ attributes }) => attributes.number);
    },
    async statusOf(orderId) {
      return (await server.client.get(`/orders/${orderId}`)).resource.attributes.status;
    },
    orderChannels: (qty, more = {}) => order([capacityItem({ capacity_pool_id: poolId, qty })], more),
    async pool() {
      return (await server.client.get(`/capacity_pools/${poolId}`)).resource.attributes;
    },
  };
}

/** The account is born on the 21st, so its pools renew then; a week later 24 of 31 days are left. */
export async function openShopWithinAMonth(): Promise<Shop> {
  const shop = await openShop({ at: '2018-12-21T08:00:00Z' });
  await advanceClock(shop.env, 7 * 86_400);
  return shop;
}

export async function layOutGoods(pool: Pool): Promise<Goods> {
  const [gb, de, us] = [idOf('countries', 'GB'), idOf('countries', 'DE'), idOf('countries', 'US')];
  const type = idOf('did_group_types', 'Local');
  await pool.query(
    `insert into countries (id, name, prefix, iso) values ($1, 'United Kingdom', '44', 'GB'), ($2, 'Germany', '49', 'DE'),
     ($3, 'United States', '1', 'US')`,
    [gb, de, us],
  );
  await pool.query(`insert into did_group_types (id, name) values ($1, 'Local')`, [type]);
  const group = (name: GroupName, country: string, terms: string) =>
    pool.query(
      `insert into did_groups (id, country_id, did_group_type_id, prefix, area_name, features, needs_registration,
        allow_additional_channels, back_orderable) values ($1, $2, $3, '20', $4, '{voice_in,t38}', ${terms})`,
      [idOf('did_groups', name), country, type, name],
    );
  const sku = (name: string, group: GroupName, setup: number, monthly: number, channels: number) =>
    pool.query(
      `insert into stock_keeping_units (id, did_group_id, setup_price, monthly_price, channels_included_count)
       values ($1, $2, $3, $4, $5)`,
      [idOf('skus', name), idOf('did_groups', group), setup, monthly, channels],
    );
  await group('london', gb, 'false, true, true');
  await group('registered', gb, 'true, true, true');
  await group('fixed', de, 'false, false, false');
  await group('newyork', us, 'false, true, true');
  for (const name of groupNames) await sku(name, name, 0.5, 2, 2);
  await sku('free', 'london', 0, 0, 0);
  const nanpaPrefixId = idOf('nanpa_prefixes', '212555');
  await pool.query(`insert into nanpa_prefixes (id, country_id, npa, nxx) values ($1, $2, '212', '555')`, [
    nanpaPrefixId,
    us,
  ]);
  await pool.query('insert into did_group_nanpa_prefixes values ($1, $2)', [
    idOf('did_groups', 'newyork'),
    nanpaPrefixId,
  ]);
  await layOutPool(pool, gb);

  let made = 0;
  return {
    groups: byName((name) => idOf('did_groups', name)),
    skus: { ...byName((name) => idOf('skus', name)), free: idOf('skus', 'free') },
    nanpaPrefixId,
    async stock(name, count) {
      const digits = name === 'newyork' ? 4 : 5;
      const numbers = Array.from({ length: count }, () => bases[name] + String(made++).padStart(digits, '0'));
      await pool.query(
        'insert into available_dids (number, did_group_id, nanpa_prefix_id) select n, $2, $3 from unnest($1::text[]) n',
        [numbers, idOf('did_groups', name), name === 'newyork' ? nanpaPrefixId : null],
      );
      return numbers;
    },
    async availableDid(name) {
      const found = await pool.query(
        `select a.id from available_dids a where a.did_group_id = $1
         and not exists (select from did_reservations r where r.available_did_id = a.id) order by number limit 1`,
        [idOf('did_groups', name)],
      );
      return found.rows[0].id;
    },
  };
}

async function layOutPool(pool: Pool, country: string): Promise<void> {
  const template = idOf('templates', 'Standard');
  await pool.query(
    `insert into capacity_pool_templates (id, name, minimum_limit, minimum_qty_per_order, setup_price, monthly_price,
       metered_rate) values ($1, 'Standard', 3, 2, 25, 25, 0.02)`,
    [template],
  );
  await pool.query('insert into capacity_pool_template_countries values ($1, $2)', [template, country]);
  await pool.query(
    `insert into capacity_pool_template_pricings (id, template_id, qty, setup_price, monthly_price)
     values ($1, $2, 30, 10, 20)`,
    [idOf('pricings', '30'), template],
  );
}

const byName = (value: (name: GroupName) => string): Record<GroupName, string> => ({
  london: value('london'),
  registered: value('registered'),
  fixed: value('fixed'),
  newyork: value('newyork'),
});

export const didItem = (attributes: object) => ({ type: 'did_order_items', attributes });
export const capacityItem = (attributes: object) => ({ type: 'capacity_order_items', attributes });
