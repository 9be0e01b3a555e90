/**
 * A supplier that loses, drops, cuts, delays and refuses: nothing is bought twice, nothing is sold that is not there,
 * and no money is lost. `SUPPLY_ROUNDS=50` plays more of the random rounds; a failing one is named by its seed.
 */
import { expect, test } from 'vitest';
import { type ProxyFault, proxyFaults } from '../../../../test/support/faulty-proxy.ts';
import { didItem, patchDid, postReservation } from '../../../../test/support/requests.ts';
import { openSupplyChain } from '../../../../test/support/supply-chain.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { SeededRandom } from '../../../engines/sip/simulation/seeded-random.fixture.ts';

const chain = useOpened(openSupplyChain);

/** What the wholesale side says of retail: numbers that go on, reservations, pending orders. */
async function heldThere() {
  const { client } = chain.wholesale;
  const dids = (await client.get('/dids?page[size]=100&filter[terminated]=false')).resources;
  const numbers = dids.map(({ attributes }) => attributes.number);
  const pending = (await client.get('/orders?filter[status]=pending')).resources.length;
  return { numbers: numbers.toSorted(), pending };
}

async function heldHere() {
  const { resources } = await chain.retail.client.get('/dids?page[size]=100&filter[terminated]=false');
  return { numbers: resources.map(({ attributes }) => attributes.number).toSorted(), pending: 0 };
}

/** The first request of each kind is spoiled, but for those that only show numbers. */
function spoilFirst(fault: ProxyFault): void {
  const spoiled = new Set<string>();
  chain.line.spoil = (asked) => {
    const kind = asked.replace(/[0-9a-f-]{36}/, '…');
    if (spoiled.has(kind) || kind === 'GET /v3/available_dids') return null;
    spoiled.add(kind);
    return fault;
  };
}

test.each(proxyFaults)('each request of an order is %s once, and of its end', async (fault) => {
  await chain.wholesale.stock('london', 2);
  await chain.count();
  chain.retail.clock.advance(11);
  const before = Number(await chain.retail.getBalance());
  spoilFirst(fault);
  const order = await chain.retail.postOrder([didItem({ sku_id: chain.retail.skus.london })]);
  await chain.settle(180);
  expect(await chain.retail.getOrderStatus(order.resource.id)).toBe('completed');
  expect(before - Number(await chain.retail.getBalance())).toBe(2.5);
  expect(await heldThere()).toEqual(await heldHere());
  const [did] = (await chain.retail.client.get(`/dids?filter[order.id]=${order.resource.id}`)).resources;
  spoilFirst(fault);
  await patchDid(chain.retail.client, did?.id ?? '', { terminated: true });
  await chain.settle(180);
  expect(await heldThere()).toEqual(await heldHere());
});

const rounds = Number(process.env.SUPPLY_ROUNDS ?? 4);

test.each(Array.from({ length: rounds }, (_, n) => n + 1))(
  'after random faults the books agree, seed %i',
  async (seed) => {
    const random = new SeededRandom(seed);
    const pick = (n: number) => random.below(n);
    await chain.wholesale.stock('london', 6);
    await chain.count();
    chain.retail.clock.advance(11);
    const before = Number(await chain.retail.getBalance());
    chain.line.spoil = () => (pick(100) < 35 ? (proxyFaults[pick(proxyFaults.length)] ?? null) : null);
    const orders: string[] = [];
    for (let n = 0; n < 4; n++) {
      const qty = 1 + pick(2);
      const ordered = await chain.retail.postOrder([didItem({ sku_id: chain.retail.skus.london, qty })]);
      if (ordered.status === 201) orders.push(ordered.resource.id);
      if (pick(3) === 0) await chain.settle(pick(20));
      if (pick(3) === 0) await chain.retail.client.delete(`/orders/${orders.at(-1)}`);
      if (pick(3) === 0) {
        const [free] = (
          await chain.retail.client.get(`/available_dids?filter[did_group.id]=${chain.retail.groups.london}`)
        ).resources;
        if (free) await postReservation(chain.retail.client, free.id);
      }
    }
    chain.line.spoil = () => null;
    await chain.settle(1_800);
    const statuses = await Promise.all(orders.map((id) => chain.retail.getOrderStatus(id)));
    expect(statuses).not.toContain('pending');
    expect(await heldThere()).toEqual(await heldHere());
    const bought = await Promise.all(orders.map(async (id) => (await chain.retail.getNumbers(id)).length));
    expect(before - Number(await chain.retail.getBalance())).toBe(2.5 * bought.reduce((sum, n) => sum + n, 0));
    await chain.retail.expectCleanBooks();
  },
);
