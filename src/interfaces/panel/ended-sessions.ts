/** Which of some sessions have ended; a stream of events does not keep its session alive. */
import { idleSeconds } from '../../business/accounts/sessions.ts';
import type { Environment } from '../../engines/environment.ts';

export async function endedSessions(env: Environment, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const now = env.clock.now();
  const open = await env.db
    .selectFrom('panel_sessions')
    .select('id')
    .where('id', 'in', [...ids])
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('last_used_at', '>', new Date(now.getTime() - idleSeconds * 1000))
    .execute();
  const alive = new Set(open.map(({ id }) => id));
  return new Set(ids.filter((id) => !alive.has(id)));
}
