/**
 * The demo catalogue does not run out in a sandbox: a group that is bought or reserved nearly empty gets new numbers,
 * so that no account buys what another one's tests look for. Groups that have never had a number stay as they are: sold
 * out.
 */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../../engines/db/schema.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';

/**
 * Fewer are low; so many are for sale afterwards, beside those that back orders wait for. In North America of each
 * NPA-NXX.
 */
const fewest = 20;
const full = 50;

const restockTask = defineTask<{ did_group_id: string }>('orders.restock_demo', { priority: 'background' });

/**
 * SQL for what is left to sell of a group of the demo catalogue, under the prefix that has least; null for any other
 * catalogue, and outside of sandboxes.
 */
export const demoStockOf = ({ name }: Pick<Environment, 'name'>, group: string): string =>
  name === 'sandbox'
    ? `(select case when e.catalogue = 'demo' then
          coalesce((select min(p.available) from (select sum(b.available) as available from stock_blocks b
                    where b.did_group_id = ${group} group by b.nanpa_prefix_id) p), 0)
          - (select count(*) from did_reservations r where r.did_group_id = ${group} and r.expires_at > environment_time.now())
        end::int from environment_state e)`
    : 'null::int';

/** Has a group restocked if few of its numbers are left; `stock` is null where nothing is restocked. */
export async function restockIfLow(
  db: Kysely<Schema>,
  env: Environment,
  { groupId, stock }: { groupId: string; stock: number | null },
): Promise<void> {
  if (stock === null || stock >= fewest) return;
  await env.jobs.add(db, restockTask, { did_group_id: groupId }, { key: `${restockTask.name}:${groupId}` });
}

/** New numbers are those of the group's thousands that nobody has. A trigger tells the orders that wait for stock. */
export const restockDemo = handle(restockTask, async ({ did_group_id: group }, { env }) => {
  await sql`
    with known as (
      select number, nanpa_prefix_id, true as is_stocked from available_dids where did_group_id = ${group}
      union all select number, nanpa_prefix_id, false from dids where did_group_id = ${group}
    ), blocks as (
      select distinct left(number, -3) as base, nanpa_prefix_id from known
    ), wanted as (
      select k.nanpa_prefix_id, ${full}::int - count(*) filter (where k.is_stocked and r.id is null) as free,
        (select coalesce(sum(i.missing), 0) from order_items i where i.did_group_id = ${group} and i.missing > 0
           and coalesce(i.nanpa_prefix_id = k.nanpa_prefix_id, true)) as missing
      from known k left join did_reservations r on r.number = k.number and r.expires_at > ${env.clock.now()}
      group by 1
    ), unused as (
      select c.number, b.nanpa_prefix_id, row_number() over (partition by b.nanpa_prefix_id order by c.number) as nth
      from blocks b, generate_series(0, 999) n, lateral (select b.base || lpad(n::text, 3, '0') as number) c
      where not exists (select from available_dids a where a.number = c.number)
        and not exists (select from dids d where d.number = c.number)
        and not exists (select from held_numbers h where h.number = c.number)
    )
    insert into available_dids (number, did_group_id, nanpa_prefix_id)
    select u.number, ${group}, u.nanpa_prefix_id
    from unused u join wanted w on w.nanpa_prefix_id is not distinct from u.nanpa_prefix_id
    where u.nth <= w.missing + case when w.free > ${full - fewest} then w.free else 0 end
    on conflict do nothing
  `.execute(env.db);
});
