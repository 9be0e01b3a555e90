/** New orders while earlier ones are completed late. */
import { expect, test } from 'vitest';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { didItem, postOrder } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';

const shop = useOpened(() => openShop());

const order = async (client = shop.client) =>
  (await postOrder(client, [didItem({ sku_id: shop.skus.london, qty: 1 })])).status;
const countOrders = async () => (await shop.client.get('/orders')).meta.total_records;

test('an account whose orders wait for seconds gets 503 for new ones, others do not, and it ends with the backlog', async () => {
  await shop.stock('london', 40);
  const other = await shop.addAccount({ balance: '100' });
  for (let n = 0; n < 20; n++) expect(await order()).toBe(201);
  // No worker runs here, so they wait; not yet for long.
  expect(await order()).toBe(201);

  shop.clock.advance(3);
  await expect.poll(() => order()).toBe(503);
  const before = [await countOrders(), await shop.getBalance()];
  const refused = await shop.postOrder([didItem({ sku_id: shop.skus.london, qty: 1 })]);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  expect([await countOrders(), await shop.getBalance()]).toEqual(before);
  expect(await order(other.client)).toBe(201);

  await runDueJobs(shop.env);
  await expect.poll(() => order()).toBe(201);
});
