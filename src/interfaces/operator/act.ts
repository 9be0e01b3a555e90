/**
 * One act of an operator: the change and its audit entry in one transaction, whichever way it came. Requests and
 * commands call the same workflows, which all go through here.
 */
import { userInfo } from 'node:os';
import type { Actor } from '../../base/actor.ts';
import { type AuditAction, writeAudit } from '../../business/audit.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';

/** Who acts where, from where, and why. */
export interface Acting {
  readonly env: Environment;
  readonly by: Actor;
  /** The client's address, or the way that has none. */
  readonly source?: string;
  readonly reason?: string | null;
}

/** What an act has done. */
export interface Done<T> {
  result: T;
  action: AuditAction;
  accountId: string | null;
  subject: { type: string; id: string };
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

/** `work` gets an environment whose `db` is the transaction; it must use nothing else of the database. */
export function act<T>(acting: Acting, work: (env: Environment) => Promise<Done<T>>): Promise<T> {
  const { env, by, source = null, reason = null } = acting;
  return inTransaction(env.db, async (trx) => {
    const { result, before, after, ...what } = await work({ ...env, db: trx });
    await writeAudit(trx, { at: env.clock.now(), by, source, ...what, ...difference(before, after), reason });
    return result;
  });
}

/** Of two states only the members that differ; without one of them the other as it is. */
function difference(before?: Record<string, unknown>, after?: Record<string, unknown>) {
  if (before === undefined || after === undefined) return { before: before ?? null, after: after ?? null };
  const changed = Object.keys({ ...before, ...after }).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const only = (state: Record<string, unknown>) =>
    Object.fromEntries(changed.map((name) => [name, state[name] ?? null]));
  return { before: only(before), after: only(after) };
}

/** A person at the command line, by the name of the system's user. */
export const atCommandLine = (env: Environment, reason?: string): Acting => ({
  env,
  by: { kind: 'named', id: `cli:${userInfo().username}` },
  source: 'command line',
  reason: reason ?? null,
});

export const byBootstrap = (env: Environment): Acting => ({
  env,
  by: { kind: 'named', id: 'bootstrap' },
  source: 'bootstrap file',
});
