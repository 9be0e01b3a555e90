import { generateNumbers } from '../src/catalogue/generate.ts';
import { loadDemoCatalogue } from '../src/catalogue/load-demo.ts';
import type { Environment } from '../src/environment.ts';

/** The demo catalogue with exactly `count` numbers in stock, spread over every group whose numbers can be picked. */
export async function stockUp(env: Environment, count: number): Promise<void> {
  const [known] = (await env.pool.query<{ n: string }>('select coalesce(sum(available), 0) as n from stock_blocks'))
    .rows;
  if (Number(known?.n) === count) return;
  await loadDemoCatalogue(env);
  await env.pool.query('truncate available_dids cascade');
  await env.pool.query('delete from stock_blocks');
  const { rows: groups } = await env.pool.query<{ id: string }>(
    'select id from did_groups where available_dids_enabled order by id',
  );
  const each = Math.floor(count / groups.length);
  if (each >= 100) await generateNumbers(env, count);
  else {
    for (const [index, { id }] of groups.entries()) {
      const extra = index < count - each * groups.length ? 1 : 0;
      if (each + extra > 0) await generateNumbers(env, each + extra, { groups: [id] });
    }
  }
  await env.pool.query('vacuum analyze');
}
