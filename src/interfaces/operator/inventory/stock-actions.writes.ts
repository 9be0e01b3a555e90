/**
 * What an operator does with the stock: withdraw, quarantine, release, move. Requests and commands call the same
 * function. Numbers that a customer has reserved are left alone; those that a customer owns stay with the customer, and
 * are held from the moment they would return to stock.
 */
import { randomUUID } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { nameOf } from '../../../base/actor.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import type { AuditAction } from '../../../business/audit.ts';
import type { Environment } from '../../../engines/environment.ts';
import { type Acting, act } from '../act.ts';
import { planRelease } from './release-due.ts';
import { type Chosen, listOf, moveNumbers, putBack, takeOut } from './stock-moves.ts';

export interface StockAct {
  action: 'withdraw' | 'quarantine' | 'release' | 'move';
  numbers?: readonly string[];
  numberPrefix?: string | null;
  groupId?: string | null;
  targetGroupId?: string | null;
  until?: Date | null;
  reason: string;
}

interface StockActed {
  id: string;
  count: number;
  owned: number;
  skipped: number;
}

const auditActions: Readonly<Record<StockAct['action'], AuditAction>> = {
  withdraw: 'stock.withdrawn',
  quarantine: 'stock.quarantined',
  release: 'stock.released',
  move: 'stock.moved',
};

export function actOnStock(acting: Acting, wanted: StockAct): Promise<StockActed> {
  const { action, numbers, numberPrefix = null, groupId = null, targetGroupId = null, until = null } = wanted;
  const reason = wanted.reason.trim();
  const chosen: Chosen = { numbers: numbers?.map(digits) ?? null, numberPrefix, groupId };
  return act({ ...acting, reason }, async (env) => {
    checkWanted(env, { ...wanted, reason, numberPrefix, groupId, targetGroupId, until }, chosen);
    const by = { reason, actor: nameOf(acting.by), until };
    const reached = await reach(env, action, chosen, targetGroupId, by);
    if (action === 'quarantine' && until !== null) await planRelease(env, until);
    const id = randomUUID();
    const choice = { did_group_id: groupId, number_prefix: numberPrefix, target_group_id: targetGroupId, until };
    await env.db
      .insertInto('stock_actions')
      .values({ id, action, ...choice, ...reached, reason, actor: by.actor, created_at: env.clock.now() })
      .execute();
    const after = { ...reached, ...Object.fromEntries(Object.entries(choice).filter(([, value]) => value !== null)) };
    return {
      result: { id, ...reached },
      action: auditActions[action],
      accountId: null,
      subject: { type: 'stock_actions', id },
      after,
    };
  });
}

function checkWanted(env: Environment, wanted: Required<Omit<StockAct, 'numbers'>>, chosen: Chosen): void {
  const { action, reason, until, targetGroupId } = wanted;
  if (reason === '') throw new OperatorError('A reason is needed.');
  if (chosen.numbers === null && chosen.numberPrefix === null && chosen.groupId === null) {
    throw new OperatorError('Choose numbers, first digits or a group.');
  }
  if (until !== null && action !== 'quarantine') throw new OperatorError('Only a quarantine has an end.');
  if (until !== null && until <= env.clock.now()) throw new OperatorError('A quarantine ends in the future.');
  if ((action === 'move') !== (targetGroupId !== null)) {
    throw new OperatorError('A move needs a group to move to, and nothing else does.');
  }
}

async function reach(
  env: Environment,
  action: StockAct['action'],
  chosen: Chosen,
  targetGroupId: string | null,
  by: { reason: string; actor: string; until: Date | null },
): Promise<Omit<StockActed, 'id'>> {
  const listed = chosen.numbers === null ? null : new Set(chosen.numbers).size;
  if (action === 'release') {
    const count = await putBack(env, heldBy(chosen));
    return { count, owned: 0, skipped: listed === null ? 0 : listed - count };
  }
  if (action === 'move') {
    const { count, left } = await moveNumbers(env, chosen, targetGroupId ?? '');
    return { count, owned: 0, skipped: listed === null ? left : listed - count };
  }
  const state = action === 'withdraw' ? 'withdrawn' : 'quarantined';
  const { count, owned, left } = await takeOut(env, chosen, { ...by, state });
  return { count, owned, skipped: listed === null ? left : listed - count - owned };
}

/** The condition over `held_numbers h`. */
function heldBy({ numbers, numberPrefix, groupId }: Chosen): RawBuilder<unknown> {
  return sql`(${numbers === null} or h.number = any (${listOf(numbers ?? [])}))
    and (${numberPrefix}::text is null or starts_with(h.number, ${numberPrefix}::text))
    and (${groupId}::uuid is null or h.did_group_id = ${groupId}::uuid)`;
}

function digits(number: string): string {
  const plain = number.replace(/^\+/, '');
  if (!/^[1-9]\d{5,14}$/.test(plain)) throw new OperatorError(`"${number}" is not a number with its country code.`);
  return plain;
}
