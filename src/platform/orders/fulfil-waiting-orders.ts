import { handle } from '../../jobs/handler.ts';
import { attemptEach } from '../attempt-each.ts';
import { fulfilOrder } from './fulfil-order.ts';
import { fulfilWaitingTask } from './tasks.ts';

/** Stock has come in: the orders that wait for it are served, oldest first. */
export const fulfilWaitingOrders = handle(fulfilWaitingTask, async (_payload, { env }) => {
  const waiting = await env.db
    .selectFrom('orders as o')
    .select('o.id')
    .where('o.status', '=', 'pending')
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('order_items as i')
          .innerJoin('stock_blocks as b', 'b.did_group_id', 'i.did_group_id')
          .select('i.order_id')
          .whereRef('i.order_id', '=', 'o.id')
          .where('i.missing', '>', 0)
          .where((inner) =>
            inner.or([
              inner('i.nanpa_prefix_id', 'is', null),
              inner('b.nanpa_prefix_id', '=', inner.ref('i.nanpa_prefix_id')),
            ]),
          ),
      ),
    )
    .orderBy('o.seq')
    .execute();
  const ids = waiting.map(({ id }) => id);
  const failed = await attemptEach(ids, env.log, (id) => fulfilOrder(env, id));
  if (failed.length > 0) throw new Error(`${failed.length} waiting orders could not be served`);
});
