/** Numbers for paperwork tests: Berlin asks for a registration, New York offers emergency calling. */
import { loadRequirements } from '../../src/business/catalogue/requirements/load-requirements.ts';
import type { ApiClient } from './client.ts';
import { runDueJobs } from './environment.ts';
import { didItem, postOrder } from './requests.ts';
import type { TestServer } from './server.ts';
import { idOf, loadSmallCatalogue, stockNumbers } from './small-catalogue.ts';

export async function loadPaperworkCatalogue(server: TestServer): Promise<void> {
  await loadSmallCatalogue(server.env);
  await loadRequirements(server.env.db);
}

let made = 1000;

/** Stocks a group of the small catalogue, and buys as many numbers of it. Their ids, in order of the numbers. */
export async function buyNumbers(
  server: TestServer,
  client: ApiClient,
  group: 'Berlin' | 'New York' | 'London',
  count: number,
): Promise<string[]> {
  const base = { Berlin: '4930990', 'New York': '1212555', London: '4420990' }[group];
  const numbers = Array.from({ length: count }, () => `${base}${made++}`);
  await stockNumbers(server.env.pool, group, numbers);
  const before = new Set((await client.get('/dids?page[size]=100')).resources.map(({ id }) => id));
  const sku = idOf('stock_keeping_units', `${group} 2`);
  const order = await postOrder(client, [didItem({ sku_id: sku, qty: count })]);
  if (order.status !== 201) throw new Error(`the order was refused: ${order.text}`);
  await runDueJobs(server.env);
  const owned = (await client.get('/dids?page[size]=100')).resources;
  return owned.map(({ id }) => id).filter((id) => !before.has(id));
}
