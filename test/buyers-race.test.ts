/** Two hundred buyers race for fifty numbers over several server processes on one database. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount } from '../src/business/accounts/accounts.ts';
import { createApiKey } from '../src/business/accounts/api-keys.ts';
import { verifyLedger } from '../src/business/money/ledger-checks.ts';
import { connectionOf } from '../src/engines/db/pool.ts';
import { checkedFetch } from './support/checked-fetch.ts';
import { createTestEnvironment, type TestEnvironment } from './support/environment.ts';
import { didItem, orderDocument, reservationDocument } from './support/requests.ts';
import { type Goods, type GroupName, layOutGoods } from './support/shop.ts';
import { startTrunkline, type Trunkline } from './support/trunkline.ts';

const processCount = 3;
const buyerCount = 200;
const numberCount = 50;

let house: TestEnvironment;
let goods: Goods;
let folder: string;
const servers: Trunkline[] = [];
let urls: string[] = [];

beforeAll(async () => {
  house = await createTestEnvironment();
  goods = await layOutGoods(house.env.pool);
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-race-'));
  const variables = {
    SANDBOX_DATABASE_URL: connectionOf(house.env.pool),
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_SERVER_KEY: house.env.serverKey.reveal(),
    TRUNKLINE_LOG_LEVEL: 'warn',
    TRUNKLINE_DATABASE_CONNECTIONS: '20',
    // Buyers wait in line instead of being sent away and coming back, which costs more than the race itself.
    TRUNKLINE_DATABASE_WAIT: '120000',
  };
  for (let n = 0; n < processCount; n++) {
    const own = path.join(folder, String(n));
    await mkdir(own);
    servers.push(startTrunkline(own, variables));
  }
  const ready = await Promise.all(servers.map((server) => server.ready()));
  urls = ready.map(({ environments }) => environments.sandbox?.url ?? '');
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

interface Account {
  id: string;
  key: string;
}

async function accounts(count: number, balance: string): Promise<Account[]> {
  const made: Account[] = [];
  for (let n = 0; n < count; n++) {
    const { id } = await createAccount(house.env, { name: `Racer ${crypto.randomUUID()}`, balance });
    made.push({ id, key: (await createApiKey(house.env, id, { name: 'race' })).key });
  }
  return made;
}

let turn = 0;

/** A busy server refuses with 503 and says when to come back, as clients are told to; nothing has changed then. */
async function call(
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: unknown }> {
  turn += 1;
  const media = path.startsWith('/v3') ? 'application/vnd.api+json' : 'application/json';
  const response = await checkedFetch(`${urls[turn % urls.length]}${path}`, {
    method,
    headers: { 'api-key': key, accept: media, 'content-type': media },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  if (response.status === 503) {
    await sleep(Number(response.headers.get('retry-after')) * 1000);
    return call(key, method, path, body);
  }
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

const postOrder = (account: Account, item: object) =>
  call(account.key, 'POST', '/v3/orders', orderDocument([didItem(item)], { allow_back_ordering: false }));

const postReservation = (account: Account, id: string) =>
  call(account.key, 'POST', '/v3/did_reservations', reservationDocument(id));

const idOfCreated = (answer: { body: unknown }): string => (answer.body as { data: { id: string } }).data.id;

async function available(group: GroupName): Promise<string[]> {
  const { rows } = await house.env.pool.query<{ id: string }>('select id from available_dids where did_group_id = $1', [
    goods.groups[group],
  ]);
  return rows.map(({ id }) => id);
}

async function fresh(group: GroupName): Promise<string[]> {
  await house.env.pool.query('delete from available_dids');
  return goods.stock(group, numberCount);
}

/** Exactly the stocked numbers are owned, each once, and the racers paid for exactly those. */
async function expectSoldOut(racers: Account[], numbers: string[], start: number): Promise<void> {
  const ids = racers.map(({ id }) => id);
  for (;;) {
    const { rows } = await house.env.pool.query(
      `select count(*)::int as waiting from orders where status = 'pending' and account_id = any($1)`,
      [ids],
    );
    if (rows[0].waiting === 0) break;
    await sleep(50);
  }
  const owned = await house.env.pool.query<{ number: string }>(
    'select number from dids where account_id = any($1) and activated_at is not null order by number',
    [ids],
  );
  expect(owned.rows.map(({ number }) => number)).toEqual(numbers.toSorted());
  const paid = await house.env.pool.query('select sum(balance)::text as left from accounts where id = any($1)', [ids]);
  expect(Number(paid.rows[0].left)).toBeCloseTo(start * racers.length - numbers.length * 2.5, 4);
  expect((await verifyLedger(house.env.db)).filter(({ offences }) => offences.length > 0)).toEqual([]);
}

const successes = (answers: { status: number }[]) => answers.filter(({ status }) => status === 201).length;
const everybody = <T>(racers: Account[], act: (account: Account, n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: buyerCount }, (_, n) => act(racers[n % racers.length] as Account, n)));

describe('200 buyers, 50 numbers', () => {
  test('any number of a group', async () => {
    const numbers = await fresh('london');
    const racers = await accounts(20, '100');
    const answers = await everybody(racers, (account) => postOrder(account, { sku_id: goods.skus.london }));
    expect(successes(answers)).toBe(numberCount);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 422]));
    await expectSoldOut(racers, numbers, 100);
  });

  test('several at a time: what is short is refused as a whole', async () => {
    const numbers = await fresh('london');
    const racers = await accounts(20, '100');
    const answers = await everybody(racers, (account) => postOrder(account, { sku_id: goods.skus.london, qty: 5 }));
    expect(successes(answers)).toBe(numberCount / 5);
    await expectSoldOut(racers, numbers, 100);
  });

  test('under an NPA-NXX', async () => {
    const numbers = await fresh('newyork');
    const racers = await accounts(20, '100');
    const item = { sku_id: goods.skus.newyork, nanpa_prefix_id: goods.nanpaPrefixId };
    expect(successes(await everybody(racers, (account) => postOrder(account, item)))).toBe(numberCount);
    await expectSoldOut(racers, numbers, 100);
  });

  test('particular numbers, four buyers each', async () => {
    const numbers = await fresh('london');
    const wanted = await available('london');
    const racers = await accounts(20, '100');
    const answers = await everybody(racers, (account, n) =>
      postOrder(account, { sku_id: goods.skus.london, available_did_id: wanted[n % numberCount] }),
    );
    expect(successes(answers)).toBe(numberCount);
    await expectSoldOut(racers, numbers, 100);
  });

  test('held first, then bought, while others try to take them', async () => {
    const numbers = await fresh('london');
    const wanted = await available('london');
    const racers = await accounts(20, '100');
    const answers = await everybody(racers, async (account, n) => {
      const held = await postReservation(account, wanted[n % numberCount] ?? '');
      if (held.status !== 201)
        return postOrder(account, { sku_id: goods.skus.london, available_did_id: wanted[n % numberCount] });
      return postOrder(account, { sku_id: goods.skus.london, did_reservation_id: idOfCreated(held) });
    });
    expect(successes(answers)).toBe(numberCount);
    await expectSoldOut(racers, numbers, 100);
  });

  test('a hold never blocks a number past its time, though no job ran', async () => {
    const numbers = await fresh('london');
    const holders = await accounts(5, '0');
    const wanted = await available('london');
    await Promise.all(wanted.map((id, n) => postReservation(holders[Math.floor(n / 10)] as Account, id)));
    const racers = await accounts(20, '100');
    const before = await everybody(racers.slice(0, 1), (account) => postOrder(account, { sku_id: goods.skus.london }));
    expect(successes(before)).toBe(0);
    const moved = await call(racers[0]?.key ?? '', 'POST', '/sandbox/v1/clock', { advance_seconds: 600 });
    expect(moved.status).toBe(200);
    expect(successes(await everybody(racers, (account) => postOrder(account, { sku_id: goods.skus.london })))).toBe(
      numberCount,
    );
    await expectSoldOut(racers, numbers, 100);
  });

  test('all with the money of one account for three', async () => {
    await fresh('london');
    const racers = await accounts(1, '8.49');
    const answers = await everybody(racers, (account) => postOrder(account, { sku_id: goods.skus.london }));
    expect(successes(answers)).toBe(3);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(buyerCount - 3);
    const { rows } = await house.env.pool.query('select balance::text from accounts where id = $1', [racers[0]?.id]);
    expect(rows).toEqual([{ balance: '0.9900' }]);
    expect((await available('london')).length).toBe(numberCount - 3);
  });
});

test('a hundred changes at once over all processes never assign a channel twice', async () => {
  await house.env.pool.query('delete from available_dids');
  await goods.stock('london', 40);
  const [account] = await accounts(1, '10000');
  if (!account) throw new Error('no account');
  expect((await postOrder(account, { sku_id: goods.skus.london, qty: 40 })).status).toBe(201);
  const { rows: pools } = await house.env.pool.query('select id from capacity_pools where account_id = $1', [
    account.id,
  ]);
  const poolId = pools[0].id;
  const items = [{ type: 'capacity_order_items', attributes: { capacity_pool_id: poolId, qty: 20 } }];
  expect((await call(account.key, 'POST', '/v3/orders', orderDocument(items))).status).toBe(201);
  const link = { data: { type: 'capacity_pools', id: poolId } };
  await expectOwned(account, 40);
  const { rows: dids } = await house.env.pool.query<{ id: string }>('select id from dids where account_id = $1', [
    account.id,
  ]);
  const answers = await Promise.all([
    ...dids.map(({ id }) =>
      call(account.key, 'PATCH', `/v3/dids/${id}`, {
        data: { id, type: 'dids', attributes: { dedicated_channels_count: 1 }, relationships: { capacity_pool: link } },
      }),
    ),
    ...Array.from({ length: 40 }, (_, n) =>
      call(account.key, 'POST', '/v3/shared_capacity_groups', {
        data: {
          type: 'shared_capacity_groups',
          attributes: { name: `Group ${n}`, shared_channels_count: 1 },
          relationships: { capacity_pool: link },
        },
      }),
    ),
    ...Array.from({ length: 20 }, () =>
      call(account.key, 'PATCH', `/v3/capacity_pools/${poolId}`, {
        data: { id: poolId, type: 'capacity_pools', attributes: { total_channels_count: 15 } },
      }),
    ),
  ]);
  // Who comes first gets channels, numbers or groups; others are refused, and nothing else happens.
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].filter((status) => ![200, 201, 422].includes(status))).toEqual([]);
  expect(statuses.has(422)).toBe(true);
  const { rows } = await house.env.pool.query('select * from capacity_pools where id = $1', [poolId]);
  expect(rows[0].assigned_channels_count).toBe(rows[0].total_channels_count);
  expect((await verifyLedger(house.env.db)).filter(({ offences }) => offences.length > 0)).toEqual([]);
});

async function expectOwned(account: Account, count: number): Promise<void> {
  for (;;) {
    const { rows } = await house.env.pool.query(
      'select count(*)::int as owned from dids where account_id = $1 and activated_at is not null',
      [account.id],
    );
    if (rows[0].owned === count) return;
    await sleep(50);
  }
}
