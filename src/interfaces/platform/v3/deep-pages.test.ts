/**
 * The rows that a deep page skips cost their index or sort key only: no computed column and no join is evaluated for
 * them.
 */

import { beforeAll, expect, test } from 'vitest';
import { didItem } from '../../../../test/support/requests.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { statementsDuring } from '../../../../test/support/statements.ts';
import { useOpened } from '../../../../test/support/use.ts';

const shop = useOpened(() => openShop());
beforeAll(async () => {
  await shop.buyDids('london', 12);
  for (let n = 0; n < 11; n += 1) await shop.postOrder([didItem({ sku_id: shop.skus.registered })]);
});

/** A node of a plan, as `explain (verbose, format json)` shows it. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Output?: string[];
  Plans?: PlanNode[];
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** What the statement of a page reads and computes up to the node that drops the rows before the page. */
async function workForSkippedRows(path: string) {
  const sent = await statementsDuring(shop.env.pool, async () => {
    expect((await shop.client.get(path)).resources).toHaveLength(5);
  });
  const page = sent.find(({ text }) => text.includes(' offset '));
  if (!page) throw new Error(`no statement of ${path} has an offset`);
  const { rows } = await shop.env.pool.query(`explain (verbose, format json) ${page.text}`, page.values);
  const plan: PlanNode = rows[0]['QUERY PLAN'][0].Plan;
  const limit = nodesOf(plan).find((node) => node['Node Type'] === 'Limit');
  if (!limit) throw new Error(`the plan of ${path} has no limit`);
  const nodes = nodesOf(limit);
  // Where the page begins is found once, from kept counts.
  const isColumn = (expression: string) => /^(t(_\d+)?\.)?\w+$/.test(expression) || /\bentry(_\d+)?\./.test(expression);
  return {
    relations: [...new Set(nodes.flatMap((node) => node['Relation Name'] ?? []))],
    computed: [...new Set(nodes.flatMap(({ Output = [] }) => Output))].filter((output) => !isColumn(output)),
  };
}

test.each([
  ['/orders', 'orders'],
  ['/orders?sort=-amount', 'orders'],
  ['/orders?filter[status]=pending,completed', 'orders'],
  ['/dids', 'dids'],
  ['/dids?sort=-created_at', 'dids'],
  ['/dids?include=did_group,order', 'dids'],
])('%s', async (path, table) => {
  const deep = `${path}${path.includes('?') ? '&' : '?'}page[size]=5&page[number]=2`;
  expect(await workForSkippedRows(deep)).toEqual({ relations: [table], computed: [] });
});
