/** The client of `/v3` against the server of `/v3`: two installations, real HTTP. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { openBuyingShop } from '../../../../test/support/suppliers.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { openSupplier } from '../open-supplier.ts';
import type { Outcome } from '../outcome.ts';

const buying = useOpened(openBuyingShop);

function resultOf<T>(outcome: Outcome<T>): T {
  if (outcome.kind !== 'done') throw new Error(`${outcome.kind}: ${outcome.text}`);
  return outcome.value;
}

const firstPage = { number: 1, size: 100 };

test('a reserved number is bought, read back and not renewed, each by the same declarations', async () => {
  const { wholesale, supplier } = buying;
  await wholesale.stock('london', 3);
  expect(resultOf(await supplier.account())).toMatchObject({ spendable: '100.00' });
  const countries = resultOf(await supplier.countries());
  const gb = countries.find(({ iso }) => iso === 'GB');
  expect(gb).toMatchObject({ name: 'United Kingdom', prefix: '44' });
  const groups = resultOf(await supplier.groups([gb?.id ?? ''], firstPage));
  const london = groups.items.find(({ id }) => id === wholesale.groups.london);
  expect(groups.total).toBe(groups.items.length);
  expect(london).toMatchObject({ country: { iso: 'GB' }, type: 'Local', stock: 3, isAvailable: true });
  const offer = london?.offers.find(({ channels }) => channels === 2);
  expect(offer).toMatchObject({ setupPrice: '0.5', monthlyPrice: '2.0' });

  const shown = resultOf(await supplier.availableNumbers({ groupId: london?.id ?? '' }, firstPage));
  expect(shown.total).toBe(3);
  const [first] = shown.items;
  const reservation = resultOf(await supplier.reserve(first?.id ?? '', 'reserve 1'));
  expect(resultOf(await supplier.reserve(first?.id ?? '', 'reserve 1'))).toEqual(reservation);
  expect(resultOf(await supplier.reservationsWith('reserve 1'))).toEqual([reservation]);

  const order = {
    items: [{ offerId: offer?.id ?? '', reservationId: reservation.id }],
    ...{ reference: 'ours 1', callbackUrl: null, allowsBackOrder: false },
  };
  const placed = resultOf(await supplier.placeOrder(order, 'order 1'));
  expect(resultOf(await supplier.placeOrder(order, 'order 1'))).toMatchObject({ id: placed.id });
  await wholesale.settle();
  expect(resultOf(await supplier.order(placed.id))).toMatchObject({ status: 'completed', amount: '2.5' });
  expect(resultOf(await supplier.ordersWith('ours 1'))).toHaveLength(1);
  const held = resultOf(await supplier.heldNumbers({ orderId: placed.id }, firstPage));
  expect(held.items).toMatchObject([{ number: first?.number, blocked: false, terminated: false }]);
  const [number] = held.items;
  expect(resultOf(await supplier.changeNumber(number?.id ?? '', { billingCycles: 0 }))).toMatchObject({
    billingCycles: 0,
  });
});

test('what the supplier refuses is refused, in its words', async () => {
  const { wholesale, supplier } = buying;
  await wholesale.stock('london', 1);
  const { items } = resultOf(await supplier.availableNumbers({ groupId: wholesale.groups.london }, firstPage));
  const { id } = resultOf(await supplier.reserve(items[0]?.id ?? '', 'reserve 2'));
  expect(resultOf(await supplier.release(id))).toBeNull();
  expect(await supplier.release(id)).toMatchObject({ kind: 'refused', status: 404 });
  expect(await supplier.order('00000000-0000-4000-8000-000000000000')).toMatchObject({ kind: 'refused', status: 404 });
});

test('a request is in the log with its answer, and the key is nowhere', async () => {
  const { retail, supplier, key } = buying;
  await supplier.account();
  const rows = await retail.env.db.selectFrom('supplier_requests').selectAll().orderBy('at').execute();
  expect(rows.at(-1)).toMatchObject({ method: 'GET', path: '/balance', status: 200, outcome: 'done' });
  expect(rows.at(-1)?.answer).toContain('total_balance');
  expect(JSON.stringify(rows)).not.toContain(key);
});

test.each([
  ['garbage', 200, 'not JSON', {}, 'garbage'],
  ['another version', 200, '{"data":{},"meta":{"api_version":"2031-01-01"}}', {}, 'garbage'],
  ['a failing server', 502, '', {}, 'unknown'],
  ['too many requests', 429, '{}', { 'retry-after': '7' }, 'limited'],
])('an answer with %s', async (_what, status, body, headers, kind) => {
  const answering = await answers(status, body, headers);
  const { env, id } = await supplierAt(answering.url);
  const supplier = await openSupplier(env, id);
  expect(await supplier.account()).toMatchObject({ kind });
  if (kind === 'limited') {
    const until = new Date(env.clock.now().getTime() + 7_000);
    expect(await supplier.account()).toMatchObject({ kind: 'limited', until });
  }
  await answering.close();
});

test('after three failures in a row nothing is sent until one request may try', async () => {
  const answering = await answers(500, '', {});
  const { env, id } = await supplierAt(answering.url);
  const supplier = await openSupplier(env, id);
  for (let n = 0; n < 3; n++) expect(await supplier.account()).toMatchObject({ kind: 'unknown' });
  expect(await supplier.account()).toMatchObject({ kind: 'limited' });
  expect(answering.count()).toBe(3);
  buying.retail.clock.advance(16);
  expect(await Promise.all([supplier.account(), supplier.account()])).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'unknown' }),
      expect.objectContaining({ kind: 'limited' }),
    ]),
  );
  await answering.close();
});

test('nobody there: nothing was sent', async () => {
  const answering = await answers(200, '', {});
  await answering.close();
  const { env, id } = await supplierAt(answering.url);
  expect(await (await openSupplier(env, id)).account()).toMatchObject({ kind: 'unreached' });
});

async function supplierAt(url: string) {
  const id = await buying.addSupplier({ url: `${url}/v3` });
  return { env: buying.retail.env, id };
}

async function answers(status: number, body: string, headers: Record<string, string>) {
  let requests = 0;
  const server: Server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
