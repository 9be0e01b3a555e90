/** Numbers for paperwork tests: Berlin asks for a registration, New York offers emergency calling. */
import { loadRequirements } from '../../src/catalogue/requirements/load-requirements.ts';
import type { ApiClient } from './client.ts';
import { runDueJobs } from './environment.ts';
import type { TestServer } from './server.ts';
import { idOf, loadSmallCatalogue } from './small-catalogue.ts';

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
  const base = { Berlin: '493099', 'New York': '121255', London: '442099' }[group];
  const numbers = Array.from({ length: count }, () => `${base}${String(made++).padStart(5, '0')}`);
  await server.env.pool.query(
    'insert into available_dids (number, did_group_id, nanpa_prefix_id) select n, $2, $3 from unnest($1::text[]) n',
    [numbers, idOf('did_groups', group), group === 'New York' ? idOf('nanpa_prefixes', '212555') : null],
  );
  const before = new Set((await client.get('/dids?page[size]=100')).resources.map(({ id }) => id));
  const sku = idOf('stock_keeping_units', `${group} 2`);
  const items = [{ type: 'did_order_items', attributes: { sku_id: sku, qty: count } }];
  const order = await client.post('/orders', { data: { type: 'orders', attributes: { items } } });
  if (order.status !== 201) throw new Error(`the order was refused: ${order.text}`);
  await runDueJobs(server.env);
  const owned = (await client.get('/dids?page[size]=100')).resources;
  return owned.map(({ id }) => id).filter((id) => !before.has(id));
}
