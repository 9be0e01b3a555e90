/**
 * Sessions of the panel: a random token in a cookie, its hash in the database. A session ends when it is idle or old, by
 * the environment's clock, or when it is revoked; every request reads it from the database, so a revocation takes effect
 * at once in every process.
 */
import { randomBytes } from 'node:crypto';
import type { Environment } from '../environment.ts';
import { hashKey } from './api-keys.ts';
import { asCaller, type Caller, callerColumns } from './caller.ts';
import { defaultRateLimit } from './rate-limit.ts';

export const idleSeconds = 12 * 3600;
export const longestSeconds = 7 * 24 * 3600;
/** Uses closer together than this are not written. */
const writtenEverySeconds = 60;

export interface NewSession {
  accountId: string;
  ip: string;
  userAgent: string;
}

/** Returns the token, which is stored nowhere. */
export async function openSession(env: Environment, session: NewSession): Promise<string> {
  const now = env.clock.now();
  const token = randomBytes(32).toString('base64url');
  await env.db
    .deleteFrom('panel_sessions')
    .where('account_id', '=', session.accountId)
    .where('expires_at', '<', now)
    .execute();
  await env.db
    .insertInto('panel_sessions')
    .values({
      account_id: session.accountId,
      token_hash: hashKey(token),
      // The zone of a link-local address is no part of it.
      ip: session.ip.replace(/%.*$/, ''),
      user_agent: session.userAgent.slice(0, 400),
      created_at: now,
      last_used_at: now,
      expires_at: later(now, longestSeconds),
    })
    .execute();
  return token;
}

/** The caller of a request with this token; null if the session does not exist or has ended. */
export async function callerOfSession(env: Environment, token: string): Promise<Caller | null> {
  const now = env.clock.now();
  const row = await env.db
    .selectFrom('panel_sessions')
    .innerJoin('accounts', 'accounts.id', 'panel_sessions.account_id')
    .select(['panel_sessions.id as session_id', 'last_used_at'])
    .select(callerColumns)
    .where('token_hash', '=', hashKey(token))
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('last_used_at', '>', later(now, -idleSeconds))
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.last_used_at < later(now, -writtenEverySeconds)) await noteUse(env, row.session_id, now);
  return asCaller(row, {
    actor: { kind: 'session', id: row.session_id },
    signingKey: null,
    rateLimit: defaultRateLimit[env.name],
  });
}

async function noteUse(env: Environment, id: string, now: Date): Promise<void> {
  await env.db.updateTable('panel_sessions').set({ last_used_at: now }).where('id', '=', id).execute();
}

/** The session that moved the sandbox's clock stays as young as it was: its person has not been away. */
export async function keepSession(env: Environment, id: string, passedSeconds: number): Promise<void> {
  const row = await env.db.selectFrom('panel_sessions').select('expires_at').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  await env.db
    .updateTable('panel_sessions')
    .set({ last_used_at: env.clock.now(), expires_at: later(row.expires_at, passedSeconds) })
    .where('id', '=', id)
    .execute();
}

/** By its token, for signing out and for a token that a new sign-in replaces. */
export async function revokeToken(env: Environment, token: string): Promise<void> {
  await env.db
    .updateTable('panel_sessions')
    .set({ revoked_at: env.clock.now() })
    .where('token_hash', '=', hashKey(token))
    .where('revoked_at', 'is', null)
    .execute();
}

const later = (time: Date, seconds: number): Date => new Date(time.getTime() + seconds * 1000);
