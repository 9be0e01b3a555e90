import { handle } from '../../jobs/handler.ts';
import { attemptEach } from '../attempt-each.ts';
import { settleDueNumber } from './settle-due-number.ts';
import { settleDueTask } from './tasks.ts';

/** Looks at every number whose time has come, a hundred at a time. */
export const settleDueNumbers = handle(settleDueTask, async (_payload, { env }) => {
  const failed: string[] = [];
  for (;;) {
    const now = env.clock.now();
    const due = await env.db
      .selectFrom('dids')
      .select('id')
      .where('due_at', '<=', now)
      .$if(failed.length > 0, (query) => query.where('id', 'not in', failed))
      .orderBy('due_at')
      .orderBy('number')
      .limit(100)
      .execute();
    if (due.length === 0) break;
    const ids = due.map(({ id }) => id);
    failed.push(...(await attemptEach(ids, env.log, (id) => settleDueNumber(env, id, now))));
  }
  if (failed.length > 0) throw new Error(`${failed.length} numbers that are due could not be settled`);
});
