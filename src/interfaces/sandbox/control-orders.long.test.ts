/** How orders complete in the sandbox, and how long they may be made to wait. */
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { advanceClock, runDueJobs } from '../../../test/support/environment.ts';
import { didItem } from '../../../test/support/requests.ts';
import { openShop } from '../../../test/support/shop.ts';
import { useOpened } from '../../../test/support/use.ts';

const shop = useOpened(() => openShop());
beforeAll(async () => {
  await shop.stock('london', 5);
});

const control = async (body?: object) => {
  const response = await fetch(`${shop.url}/sandbox/v1/orders`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'api-key': shop.key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};
const order = async () => (await shop.postOrder([didItem({ sku_id: shop.skus.london })])).resource.id;

test('orders complete at once, unless the account has set a delay', async () => {
  expect(await control()).toEqual({ status: 200, body: { delay_seconds: 0 } });
  const soon = await order();
  await runDueJobs(shop.env);
  expect(await shop.getOrderStatus(soon)).toBe('completed');

  expect(await control({ delay_seconds: 60 })).toEqual({ status: 200, body: { delay_seconds: 60 } });
  expect((await control()).body).toEqual({ delay_seconds: 60 });
  const later = await order();
  await advanceClock(shop.env, 59);
  expect(await shop.getOrderStatus(later)).toBe('pending');
  await advanceClock(shop.env, 1);
  expect([await shop.getOrderStatus(later), await shop.getNumbers(later)]).toMatchObject(['completed', { length: 1 }]);
});

test("an order stays pending for the sandbox's time, can be cancelled, and is completed by moving the clock", async () => {
  const patient = await openShop({ orderSeconds: 2 });
  onTestFinished(() => patient.close());
  await patient.stock('london', 4);
  const ordered = async () => (await patient.postOrder([didItem({ sku_id: patient.skus.london })])).resource;
  const cancelled = await ordered();
  await runDueJobs(patient.env);
  expect(cancelled.attributes.status).toBe('pending');
  expect((await patient.client.delete(`/orders/${cancelled.id}`)).status).toBe(204);
  const [advanced, idle] = [await ordered(), await ordered()];
  await advanceClock(patient.env, 1);
  expect(await patient.getOrderStatus(advanced.id)).toBe('pending');
  const move = (body: object) =>
    fetch(`${patient.url}/sandbox/v1/clock`, {
      method: 'POST',
      headers: { 'api-key': patient.key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await move({ advance_seconds: 1 });
  expect(await patient.getOrderStatus(advanced.id)).toBe('completed');
  const last = await ordered();
  await move({ until: 'idle' });
  expect([await patient.getOrderStatus(idle.id), await patient.getOrderStatus(last.id)]).toEqual([
    'completed',
    'completed',
  ]);
  expect(await patient.getOrderStatus(cancelled.id)).toBe('canceled');
});

test('while an order waits, it can be cancelled with all its money', async () => {
  await control({ delay_seconds: 3600 });
  const before = await shop.getBalance();
  const id = await order();
  await runDueJobs(shop.env);
  expect((await shop.client.delete(`/orders/${id}`)).status).toBe(204);
  expect([await shop.getOrderStatus(id), await shop.getBalance()]).toEqual(['canceled', before]);
  await advanceClock(shop.env, 3600);
  expect(await shop.getOrderStatus(id)).toBe('canceled');
});

test.each([[{ delay_seconds: -1 }], [{ delay_seconds: 2_592_001 }], [{ delay_seconds: 'soon' }], [{}]])(
  '%j is refused',
  async (body) => {
    expect((await control(body)).status).toBe(422);
  },
);
