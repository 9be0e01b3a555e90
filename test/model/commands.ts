/** What customers, the operator and the clock can do, each done to the real thing and to the model. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { ApiClient } from '../support/client.ts';
import { advanceClock, runDueJobs } from '../support/environment.ts';
import { didItem, getBalance, patchDid, postOrder, postReservation } from '../support/requests.ts';
import type { Shop } from '../support/shop.ts';
import { holdMs, type Market, numberPrice, type OwnedNumber } from './market.ts';

export interface Real {
  shop: Shop;
  clients: ApiClient[];
}

type Step = fc.AsyncCommand<Market, Real>;

/** A step under its name, so that a failing sequence can be read. */
function step(name: string, run: (market: Market, real: Real) => Promise<void>, check = (_: Market) => true): Step {
  return {
    check,
    run: async (market, real) => {
      await run(market, real);
      await runDueJobs(real.shop.env);
      await compare(market, real);
    },
    toString: () => name,
  };
}

const customer = fc.integer({ min: 0, max: 1 });
const pick = fc.nat({ max: 1000 });

export const steps = (): fc.Arbitrary<Step>[] => [
  fc
    .integer({ min: 1, max: 4 })
    .map((count) =>
      step(`import ${count}`, async (market, { shop }) => market.arrive(await shop.stock('london', count))),
    ),
  fc.tuple(customer, pick).map(([owner, which]) =>
    step(
      `customer ${owner} reserves`,
      async (market, real) => {
        const number = choose(market.free(), which);
        const id = await availableId(real, number);
        const response = await postReservation(clientOf(real, owner), id);
        expect(response.status).toBe(market.holdsOf(owner).length < 10 ? 201 : 422);
        if (response.status === 201) market.holds.set(number, { owner, until: market.now + holdMs });
      },
      (market) => market.free().length > 0,
    ),
  ),
  fc
    .tuple(customer, fc.integer({ min: 1, max: 4 }), fc.boolean(), fc.option(fc.nat({ max: 2 })))
    .map(([owner, qty, back, cycles]) =>
      step(`customer ${owner} orders ${qty}${back ? ', back order' : ''}, cycles ${cycles}`, async (market, real) => {
        const expected = market.expectedStatus(owner, qty, back);
        const item = {
          sku_id: real.shop.skus.london,
          qty,
          ...(cycles === null ? {} : { billing_cycles_count: cycles }),
        };
        const response = await postOrder(clientOf(real, owner), [didItem(item)], { allow_back_ordering: back });
        expect(response.status).toBe(expected);
        if (expected === 201) market.order({ owner, id: response.resource.id, qty, cycles });
      }),
    ),
  fc.tuple(customer, pick).map(([owner, which]) =>
    step(
      `customer ${owner} orders a held number`,
      async (market, real) => {
        const number = choose(market.holdsOf(owner), which);
        const { rows } = await real.shop.env.pool.query('select id from did_reservations where number = $1', [number]);
        const item = didItem({ sku_id: real.shop.skus.london, did_reservation_id: rows[0].id });
        const response = await postOrder(clientOf(real, owner), [item], { allow_back_ordering: true });
        const payable = (market.balances[owner] ?? 0) >= numberPrice;
        expect(response.status).toBe(payable ? 201 : 400);
        if (payable) market.orderHeld(owner, response.resource.id, number);
      },
      (market) => market.holdsOf(owner).length > 0,
    ),
  ),
  pick.map((which) =>
    step(
      'a waiting order is cancelled',
      async (market, real) => {
        const waiting = choose(market.waiting, which);
        expect((await clientOf(real, waiting.owner).delete(`/orders/${waiting.id}`)).status).toBe(204);
        market.cancel(waiting);
      },
      (market) => market.waiting.length > 0,
    ),
  ),
  onNumber('is terminated', (market, did, number) => {
    market.terminate(number, did);
    return { attributes: { terminated: true }, status: 200 };
  }),
  onNumber('is restored', (market, did) => ({
    status: market.restore(did) ? 200 : 400,
    attributes: { terminated: false },
  })),
  onNumber('gets two more cycles', (_market, did) => {
    if (!did.terminated) did.cycles = 2;
    return { attributes: { billing_cycles_count: 2 }, status: did.terminated ? 422 : 200 };
  }),
  fc.constantFrom(60, 600, 86_400, 10 * 86_400, 31 * 86_400, 36 * 86_400).map((seconds) =>
    step(`${seconds} seconds pass`, async (market, { shop }) => {
      await advanceClock(shop.env, seconds);
      market.advance(seconds * 1000);
    }),
  ),
];

type Change = (market: Market, did: OwnedNumber, number: string) => { attributes: object; status: number };

function onNumber(what: string, change: Change): fc.Arbitrary<Step> {
  return pick.map((which) =>
    step(
      `a number ${what}`,
      async (market, real) => {
        const [number, did] = choose([...market.owned].sort(), which);
        const { rows } = await real.shop.env.pool.query('select id from dids where number = $1', [number]);
        const { attributes, status } = change(market, did, number);
        expect((await patchDid(clientOf(real, did.owner), rows[0].id, attributes)).status).toBe(status);
      },
      (market) => market.owned.size > 0,
    ),
  );
}

/** Everything a customer can see, and what is left in stock. */
async function compare(market: Market, real: Real): Promise<void> {
  for (const [owner, client] of real.clients.entries()) {
    expect(await getBalance(client)).toBe(((market.balances[owner] ?? 0) / 100).toFixed(2));
    const { resources } = await client.get('/dids?page[size]=100');
    const mine = [...market.owned].filter(([, did]) => did.owner === owner).sort();
    expect(
      resources.map(({ attributes: a }) => [a.number, a.terminated, a.billing_cycles_count, a.expires_at]),
    ).toEqual(mine.map(([number, did]) => [number, did.terminated, did.cycles, new Date(did.expires).toISOString()]));
    const pending = (await client.get('/orders?filter[status]=pending')).resources.map(({ id }) => id);
    expect(pending.sort()).toEqual(
      market.waiting
        .filter((one) => one.owner === owner)
        .map(({ id }) => id)
        .sort(),
    );
    const held = (await client.get('/did_reservations')).meta;
    expect(held.total_records).toBe(market.holdsOf(owner).length);
  }
  const { rows } = await real.shop.env.pool.query('select number from available_dids order by number');
  expect(rows.map(({ number }) => number)).toEqual([...market.stock].sort());
}

async function availableId(real: Real, number: string): Promise<string> {
  const { rows } = await real.shop.env.pool.query('select id from available_dids where number = $1', [number]);
  return rows[0].id;
}

function clientOf(real: Real, owner: number): ApiClient {
  const client = real.clients[owner];
  if (!client) throw new Error(`there is no customer ${owner}`);
  return client;
}

function choose<T>(list: readonly T[], which: number): T {
  const chosen = list[which % list.length];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
}
