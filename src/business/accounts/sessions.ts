/**
 * Sessions of the panel: a random token in a cookie, its hash in the database. A session ends when it is idle or old,
 * by the environment's clock, when it is revoked, or when its person gets a new password; every request reads it from
 * the database, so that takes effect at once in every process.
 */
import { randomBytes } from 'node:crypto';
import type { OperatorActor } from '../../base/actor.ts';
import type { AccountRole } from '../../engines/db/tables/accounts.ts';
import type { OperatorRole } from '../../engines/db/tables/operators.ts';
import type { Environment } from '../../engines/environment.ts';
import { hashKey } from './api-keys.ts';
import { asCaller, type Caller, callerColumns } from './caller.ts';
import { actingRole } from './member-roles.ts';
import type { Person } from './people.ts';
import { defaultRateLimit } from './rate-limit.ts';

export const idleSeconds = 12 * 3600;
export const longestSeconds = 7 * 24 * 3600;
/** Uses within this time of each other are not written again. */
const writtenEverySeconds = 60;

interface NewSession {
  person: Pick<Person, 'kind' | 'id' | 'accountId'>;
  ip: string;
  userAgent: string;
}

/** Who is signed in. An operator has no caller until acting as a customer. */
export interface PanelSession {
  readonly id: string;
  readonly operator: (OperatorActor & { readonly role: OperatorRole }) | null;
  readonly member: { readonly id: string; readonly email: string; readonly role: AccountRole } | null;
  readonly caller: Caller | null;
  readonly signedInAt: Date;
  /** When the person last proved, within this session, who they are; null if only by signing in. */
  readonly confirmedAt: Date | null;
}

/** Returns the token, which is stored nowhere. */
export async function openSession(env: Environment, { person, ip, userAgent }: NewSession): Promise<string> {
  const now = env.clock.now();
  const token = randomBytes(32).toString('base64url');
  const whose = {
    account_id: person.accountId,
    member_id: person.kind === 'member' ? person.id : null,
    operator_id: person.kind === 'operator' ? person.id : null,
  };
  await env.db.deleteFrom('panel_sessions').where('expires_at', '<', now).execute();
  await env.db
    .insertInto('panel_sessions')
    .values({
      ...whose,
      token_hash: hashKey(token),
      // The zone of a link-local address is no part of it.
      ip: ip.replace(/%.*$/, ''),
      user_agent: userAgent.slice(0, 400),
      created_at: now,
      last_used_at: now,
      expires_at: later(now, longestSeconds),
    })
    .execute();
  return token;
}

/** The session with this token; null if it does not exist or has ended. */
export async function findSession(env: Environment, token: string): Promise<PanelSession | null> {
  const found = await readSession(env, { tokenHash: hashKey(token) });
  if (found === null) return null;
  const { lastUsedAt, ...session } = found;
  const now = env.clock.now();
  if (lastUsedAt < later(now, -writtenEverySeconds)) await noteUse(env, session.id, now);
  return session;
}

/** Who acts in a session now; null if it has ended. It does not count as used by that. */
export async function callerOfSession(env: Environment, id: string): Promise<Caller | null> {
  return (await readSession(env, { id }))?.caller ?? null;
}

async function readSession(
  env: Environment,
  by: { tokenHash: Buffer } | { id: string },
): Promise<(PanelSession & { lastUsedAt: Date }) | null> {
  const now = env.clock.now();
  const row = await env.db
    .selectFrom('panel_sessions')
    .leftJoin('accounts', 'accounts.id', 'panel_sessions.account_id')
    .leftJoin('account_members as members', 'members.id', 'panel_sessions.member_id')
    .leftJoin('operators', 'operators.id', 'panel_sessions.operator_id')
    .select(['panel_sessions.id as session_id', 'last_used_at', 'confirmed_at', 'acting_reason'])
    .select('panel_sessions.created_at as signed_in_at')
    .select(['members.id as member_id', 'members.email as member_email', 'members.role as member_role'])
    .select(['operators.id as operator_id', 'operators.email as operator_email', 'operators.role as operator_role'])
    .select(callerColumns)
    .where((eb) => ('id' in by ? eb('panel_sessions.id', '=', by.id) : eb('token_hash', '=', by.tokenHash)))
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('last_used_at', '>', later(now, -idleSeconds))
    .executeTakeFirst();
  if (row === undefined) return null;
  const { session_id: id, member_id, member_email, member_role, operator_id, operator_email, operator_role } = row;
  const operator =
    operator_id !== null && operator_email !== null && operator_role !== null
      ? { kind: 'operator' as const, id: operator_id, email: operator_email, role: operator_role }
      : null;
  const member =
    member_id !== null && member_email !== null && member_role !== null
      ? { id: member_id, email: member_email, role: member_role }
      : null;
  const times = { signedInAt: row.signed_in_at, confirmedAt: row.confirmed_at, lastUsedAt: row.last_used_at };
  const { account_id, api_version, features, limits, read_only } = row;
  if (account_id === null || features === null || limits === null || read_only === null) {
    return { id, operator, member, caller: null, ...times };
  }
  const caller = asCaller(
    { account_id, api_version, features, limits, read_only, suspension_reason: row.suspension_reason },
    {
      actor: operator === null ? { kind: 'session', id } : operator,
      role: operator === null ? (member?.role ?? 'owner') : actingRole[operator.role],
      sessionId: id,
      signingKey: null,
      rateLimit: defaultRateLimit[env.name],
      actingReason: row.acting_reason,
    },
  );
  return { id, operator, member, caller, ...times };
}

/** The person has just proved who they are. */
export async function confirmSession(env: Environment, id: string): Promise<void> {
  await env.db.updateTable('panel_sessions').set({ confirmed_at: env.clock.now() }).where('id', '=', id).execute();
}

async function noteUse(env: Environment, id: string, now: Date): Promise<void> {
  await env.db.updateTable('panel_sessions').set({ last_used_at: now }).where('id', '=', id).execute();
}

/** Keeps the session that moved the sandbox's clock as recent as it was: its person was not idle. */
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
