/** Ends quarantines whose time has come. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { nameOf } from '../../../base/actor.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask, jobActor } from '../../../engines/jobs/task.ts';
import { act } from '../act.ts';
import { putBack } from './stock-moves.ts';

const releaseTask = defineTask('stock.release', { priority: 'background' });

/** Called in the transaction of the quarantine. */
export async function planRelease(env: Environment, until: Date): Promise<void> {
  await env.jobs.add(env.db, releaseTask, {}, { at: until });
}

export const releaseDueNumbers = handle(releaseTask, async (_payload, { env, dueAt }: TaskContext<Environment>) => {
  const now = new Date(Math.max(dueAt.getTime(), env.clock.now().getTime()));
  const { rows } = await sql`select from held_numbers where until <= ${now} limit 1`.execute(env.db);
  if (rows.length === 0) return;
  const reason = 'The quarantine ended.';
  const by = jobActor(releaseTask);
  await act({ env, by, reason }, async (inside) => {
    const count = await putBack(inside, sql`h.until <= ${now}`);
    const id = randomUUID();
    const row = { id, action: 'release' as const, count, reason, actor: nameOf(by), created_at: env.clock.now() };
    await inside.db.insertInto('stock_actions').values(row).execute();
    const subject = { type: 'stock_actions', id };
    return { result: undefined, action: 'stock.released', accountId: null, subject, after: { count } };
  });
});
