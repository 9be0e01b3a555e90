/** The log of attempts is kept for 30 days; whole months go at once. */
import { sql } from 'kysely';
import { handle } from '../jobs/handler.ts';
import { forgetDeliveriesTask } from './tasks.ts';

export const keptDays = 30;

export const forgetDeliveries = handle(forgetDeliveriesTask, async (_payload, { env }) => {
  const before = keptSince(env.clock.now());
  await sql`select drop_month_partitions('delivery_attempts', ${before})`.execute(env.db);
  await env.db.deleteFrom('deliveries').where('finished_at', '<', before).execute();
});

export function keptSince(now: Date): Date {
  return new Date(now.getTime() - keptDays * 86_400_000);
}
