/** A session of the panel, for phones in the browser: their credentials belong to one. */
import { openSession } from '../../src/business/accounts/sessions.ts';
import type { Environment } from '../../src/engines/environment.ts';

/** Its id. The account itself is signed in, or one of its members. */
export async function sessionOf(env: Environment, accountId: string, memberId?: string): Promise<string> {
  const who =
    memberId === undefined ? { kind: 'account' as const, id: accountId } : { kind: 'member' as const, id: memberId };
  const person = { ...who, accountId };
  await openSession(env, { person, ip: '127.0.0.1', userAgent: '' });
  const { id } = await env.db
    .selectFrom('panel_sessions')
    .select('id')
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
  return id;
}

export async function endSession(env: Environment, id: string): Promise<void> {
  await env.db.updateTable('panel_sessions').set({ revoked_at: env.clock.now() }).where('id', '=', id).execute();
}
