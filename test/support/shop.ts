/**
 * A server with something to sell: a few groups with their prices, a channel pool, a customer with money. Tests add the
 * stock.
 */
import type { Pool } from 'pg';
import { expect } from 'vitest';
import { verifyLedger } from '../../src/business/money/ledger-checks.ts';
import { advanceClock, runDueJobs } from './environment.ts';
import { capacityItem, didItem, getBalance, getNumbers, getOrder, postOrder } from './requests.ts';
import { startTestServer, type TestAccount, type TestServer, type TestServerOptions } from './server.ts';
import { idOf, insert, loadGroups, loadPoolTemplate, type SmallGroup, stockNumbers } from './small-catalogue.ts';

export type GroupName = 'london' | 'registered' | 'fixed' | 'newyork';

/** What is sold, in a database that has no catalogue yet. */
export interface Goods {
  /** Ids of groups by name: london, registered (needs a registration), fixed (no channels, no back orders), newyork. */
  readonly groups: Readonly<Record<GroupName, string>>;
  /** Each group sells at setup 0.5 and 2.0 a month with two channels; `free` costs nothing. */
  readonly skus: Readonly<Record<GroupName | 'free', string>>;
  readonly nanpaPrefixId: string;
  /** Puts new numbers of a group on sale. */
  stock(group: GroupName, count: number): Promise<string[]>;
  /** The id of a number that can be reserved. */
  availableDid(group: GroupName): Promise<string>;
}

type Response = ReturnType<TestServer['client']['post']>;

/** Its requests are those of the first account. */
export interface Shop extends TestServer, Goods {
  /** 25.0 setup, 25.0 a month, at least 2 an order, 20.0 a month from 30 channels on; covers the United Kingdom. */
  readonly poolId: string;
  postOrder(items: object[], more?: object, headers?: Record<string, string>): Response;
  /** Orders channels of the pool. */
  postCapacityOrder(qty: number, more?: object): Response;
  getBalance(): Promise<string>;
  /** The numbers that an order brought. */
  getNumbers(orderId: string): Promise<unknown[]>;
  getOrderStatus(orderId: string): Promise<unknown>;
  /** The pool's attributes. */
  getPool(): Promise<Record<string, unknown>>;
  /** Stocks a group and buys as many numbers of it. Their ids. */
  buyDids(group: GroupName, qty?: number): Promise<string[]>;
  /** The ledger has no offence. */
  expectCleanBooks(): Promise<void>;
  /** Another account, which has just bought one number. */
  addOwner(balance: string, item?: object, group?: GroupName): Promise<Owner>;
}

interface Owner extends TestAccount {
  /** Of the number. */
  id: string;
  number: string;
  expiresAt: string;
}

const offer = (name: string) => ({ name: `shop ${name}`, setup: 0.5, monthly: 2, channels: 2 });
const features = ['voice_in', 't38'];
const groups: Readonly<Record<GroupName, SmallGroup>> = {
  london: {
    country: 'GB',
    features,
    offers: [offer('london'), { name: 'shop free', setup: 0, monthly: 0, channels: 0 }],
  },
  registered: { country: 'GB', features, needs_registration: true, offers: [offer('registered')] },
  fixed: {
    country: 'DE',
    features,
    allow_additional_channels: false,
    back_orderable: false,
    offers: [offer('fixed')],
  },
  newyork: { country: 'US', features, nanpaPrefixes: ['212555'], offers: [offer('newyork')] },
};

const bases: Readonly<Record<GroupName, string>> = {
  london: '4420376918',
  registered: '4420876918',
  fixed: '4930376918',
  newyork: '1212555',
};

export async function openShop(options: TestServerOptions = {}): Promise<Shop> {
  const server = await startTestServer({ account: { balance: '1000' }, ...options });
  const { client, env } = server;
  const goods = await layOutGoods(env.pool);
  const pools = await env.pool.query('select id from capacity_pools where account_id = $1', [server.accountId]);
  const poolId: string = pools.rows[0].id;
  return {
    ...server,
    ...goods,
    poolId,
    postOrder: (items, more, headers) => postOrder(client, items, more, headers),
    postCapacityOrder: (qty, more) => postOrder(client, [capacityItem({ capacity_pool_id: poolId, qty })], more),
    getBalance: () => getBalance(client),
    getNumbers: (orderId) => getNumbers(client, orderId),
    getOrderStatus: async (orderId) => (await getOrder(client, orderId)).status,
    getPool: async () => (await client.get(`/capacity_pools/${poolId}`)).resource.attributes,
    async buyDids(group, qty = 1) {
      await goods.stock(group, qty);
      const order = await postOrder(client, [didItem({ sku_id: goods.skus[group], qty })]);
      await runDueJobs(env);
      const { resources } = await client.get(`/dids?filter[order.id]=${order.resource.id}`);
      return resources.map(({ id }) => id);
    },
    async expectCleanBooks() {
      expect((await verifyLedger(env.db)).filter(({ offences }) => offences.length > 0)).toEqual([]);
    },
    async addOwner(balance, item = {}, group = 'london') {
      const account = await server.addAccount({ balance });
      await goods.stock(group, 1);
      const order = await postOrder(account.client, [didItem({ sku_id: goods.skus[group], ...item })]);
      await runDueJobs(env);
      const [did] = (await account.client.get('/dids')).resources;
      if (!did) throw new Error(`order ${order.resource.id} brought no number`);
      const { number, expires_at } = did.attributes;
      return { ...account, id: did.id, number: String(number), expiresAt: String(expires_at) };
    },
  };
}

/** The account is created on the 21st, so its pools renew then; a week later 24 of 31 days are left. */
export async function openShopWithinAMonth(): Promise<Shop> {
  const shop = await openShop({ at: '2018-12-21T08:00:00Z' });
  await advanceClock(shop.env, 7 * 86_400);
  return shop;
}

export async function layOutGoods(pool: Pool): Promise<Goods> {
  await loadGroups(pool, groups);
  await layOutPool(pool);
  const groupId = (name: GroupName) => idOf('did_groups', name);
  const skuId = (name: string) => idOf('stock_keeping_units', `shop ${name}`);
  let made = 0;
  return {
    groups: byName(groupId),
    skus: { ...byName(skuId), free: skuId('free') },
    nanpaPrefixId: idOf('nanpa_prefixes', '212555'),
    async stock(name, count) {
      const digits = name === 'newyork' ? 4 : 5;
      const numbers = Array.from({ length: count }, () => bases[name] + String(made++).padStart(digits, '0'));
      await stockNumbers(pool, name, numbers);
      return numbers;
    },
    async availableDid(name) {
      const found = await pool.query(
        `select a.id from available_dids a where a.did_group_id = $1
         and not exists (select from did_reservations r where r.available_did_id = a.id) order by number limit 1`,
        [groupId(name)],
      );
      return found.rows[0].id;
    },
  };
}

/** A pool of channels for numbers of the United Kingdom. */
export async function layOutPool(pool: Pool): Promise<void> {
  const prices = { setup_price: 25, monthly_price: 25, metered_rate: 0.02 };
  const template_id = await loadPoolTemplate(pool, {
    name: 'Standard',
    minimum_limit: 3,
    minimum_qty_per_order: 2,
    ...prices,
  });
  await insert(pool, 'capacity_pool_template_countries', [{ template_id, country_id: idOf('countries', 'GB') }]);
  const pricing = { id: idOf('pricings', '30'), template_id, qty: 30, setup_price: 10, monthly_price: 20 };
  await insert(pool, 'capacity_pool_template_pricings', [pricing]);
}

const byName = (value: (name: GroupName) => string): Record<GroupName, string> => ({
  london: value('london'),
  registered: value('registered'),
  fixed: value('fixed'),
  newyork: value('newyork'),
});
