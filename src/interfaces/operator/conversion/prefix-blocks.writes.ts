/**
 * What an operator decides about prefixes: block, watch, call safe, lift. Requests and commands call the same
 * functions.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { nameOf } from '../../../base/actor.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { withConstraintErrors } from '../../../base/violated-constraint.ts';
import type { Environment } from '../../../engines/environment.ts';
import { type Acting, act } from '../act.ts';

type PrefixMode = 'monitor' | 'block' | 'safe';

interface PrefixDecision {
  prefix: string;
  mode: PrefixMode;
  accountId: string | null;
  until: Date | null;
  reason: string;
}

const taken = () => new OperatorError('Something is decided about this prefix already: change it, or lift it first.');

/** Returns the id. */
export function decideOnPrefix(acting: Acting, decision: PrefixDecision): Promise<string> {
  const { prefix, mode, accountId, until } = decision;
  const reason = requireReason(decision.reason);
  if (!/^[1-9]\d{0,14}$/.test(prefix)) throw new OperatorError(`"${prefix}" is not a prefix of digits.`);
  return withConstraintErrors({ prefix_blocks_in_force: taken }, () =>
    act({ ...acting, reason }, async (env) => {
      const [id, now] = [randomUUID(), env.clock.now()];
      requireFuture(until, now);
      await endDue(env, prefix, now);
      const row = { id, prefix, mode, account_id: accountId, until, reason, actor: nameOf(acting.by), created_at: now };
      await env.db.insertInto('prefix_blocks').values(row).execute();
      const subject = { type: 'prefix_blocks', id };
      return { result: id, action: 'prefix_block.created', accountId, subject, after: { prefix, mode, until } };
    }),
  );
}

interface PrefixChange {
  mode?: PrefixMode;
  until?: Date | null | undefined;
  lifted?: boolean;
  reason?: string;
}

export function changePrefixBlock(acting: Acting, id: string, change: PrefixChange): Promise<void> {
  const reason = requireReason(change.reason ?? '');
  return act({ ...acting, reason }, async (env) => {
    const now = env.clock.now();
    const found = await env.db
      .selectFrom('prefix_blocks')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();
    if (found === undefined) throw new OperatorError(`There is no decision ${id}.`);
    if (found.lifted_at !== null) throw new OperatorError('It was lifted already.');
    const { mode = found.mode, until = found.until, lifted = false } = change;
    const lift = lifted ? { lifted_at: now, lifted_by: nameOf(acting.by), lift_reason: reason } : {};
    if (!lifted) requireFuture(until, now);
    await env.db
      .updateTable('prefix_blocks')
      .set({ mode, until, ...lift })
      .where('id', '=', id)
      .execute();
    return {
      result: undefined,
      action: lifted ? 'prefix_block.lifted' : 'prefix_block.changed',
      accountId: found.account_id,
      subject: { type: 'prefix_blocks', id },
      before: { prefix: found.prefix, mode: found.mode, until: found.until, lifted: false },
      after: { prefix: found.prefix, mode, until, lifted },
    };
  });
}

/** One whose time is over makes room. */
async function endDue({ db }: Environment, prefix: string, now: Date): Promise<void> {
  await sql`
    update prefix_blocks set lifted_at = until, lifted_by = 'system', lift_reason = 'Its time was over.'
    where prefix = ${prefix} and lifted_at is null and until <= ${now}`.execute(db);
}

function requireFuture(until: Date | null, now: Date): void {
  if (until !== null && until <= now) throw new OperatorError('It ends in the future, or never.');
}

function requireReason(text: string): string {
  if (text.trim() === '') throw new OperatorError('A reason is needed.');
  return text.trim();
}
