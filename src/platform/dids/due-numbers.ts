import type { TaskHandler } from '../../jobs/tasks.ts';
import { settleDueNumber } from './settle-due-number.ts';

/** Looks at every number whose time has come. One that other processes look at meanwhile is left to them. */
export const dueNumbers: TaskHandler = async (_payload, { env }) => {
  for (;;) {
    const now = env.clock.now();
    const due = await env.db
      .selectFrom('dids')
      .select('id')
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('number')
      .limit(100)
      .execute();
    for (const { id } of due) await settleDueNumber(env, id, now);
    if (due.length === 0) return;
  }
};
