/** Stock of an exact size for benchmarks. */
import { generateNumbers } from '../src/business/catalogue/generate.ts';
import { loadDemoCatalogue } from '../src/business/catalogue/load-demo.ts';
import type { Environment } from '../src/engines/environment.ts';

/** The demo catalogue with exactly `count` numbers in stock, spread over every group whose numbers can be picked. */
export async function stockUp(env: Environment, count: number): Promise<void> {
  const [known] = (await env.pool.query<{ n: string }>('select coalesce(sum(available), 0) as n from stock_blocks'))
    .rows;
  if (Number(known?.n) === count) return;
  await loadDemoCatalogue(env);
  await env.pool.query('truncate available_dids cascade');
  await env.pool.query('delete from stock_blocks');
  await generateNumbers(env, count, { leastPerGroup: 1 });
  await env.pool.query('vacuum analyze');
}
