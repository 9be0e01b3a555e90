/**
 * What operators do with price lists: import (as a dry run or for good), confirm, withdraw; and the job that makes one
 * valid.
 */
import { type Selectable, sql } from 'kysely';
import { nameOf } from '../../../base/actor.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { inSlices } from '../../../base/slices.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import { inTransaction, runIn } from '../../../engines/db/transaction.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { defineTask } from '../../../engines/jobs/task.ts';
import { type Acting, act } from '../act.ts';
import { type PriceKindName, type PriceScope, priceKinds } from './price-kinds.ts';
import { type ComparedLine, compareWithCurrent, type PricedLine, readPriceFile } from './read-price-file.ts';

/** Before renewals that are due at the same moment, which belong to the new prices. */
const applyTask = defineTask<{ price_list_id: string }>('prices.apply', { priority: 'orders' });

export const applyPriceList = handle(applyTask, async ({ price_list_id: id }, { env }: TaskContext<Environment>) => {
  await inTransaction(env.db, async (db) => {
    const list = await lockList({ ...env, db }, id);
    if (list === undefined || stateOf(list) !== 'planned') return;
    await apply({ ...env, db }, list);
  });
});

interface NewPriceList extends PriceScope {
  kind: PriceKindName;
  csv: string;
  /** When the prices begin to hold; now if left out. */
  validFrom: Date | null;
  /** Only shows the differences until it is confirmed. */
  dryRun: boolean;
}

type PriceListState = 'dry_run' | 'planned' | 'valid' | 'withdrawn';

type PriceList = Selectable<Schema['price_lists']>;

export const stateOf = ({ applied_at, withdrawn_at, confirmed_at }: PriceList): PriceListState =>
  applied_at ? 'valid' : withdrawn_at ? 'withdrawn' : confirmed_at ? 'planned' : 'dry_run';

/** Compares a file with the prices that hold now and stores nothing. */
export async function comparePrices(env: Environment, { kind, csv, ...scope }: NewPriceList): Promise<ComparedLine[]> {
  checkScope(kind, scope);
  return compareWithCurrent(priceKinds[kind], scope, await readPriceFile(priceKinds[kind], csv), runIn(env.db));
}

/** Returns the list's id. */
export function importPriceList(acting: Acting, wanted: NewPriceList): Promise<string> {
  const { kind, validFrom, dryRun, accountId, carrierId } = wanted;
  return act(acting, async (env) => {
    const now = env.clock.now();
    requireFuture(validFrom, now);
    const compared = await comparePrices(env, wanted);
    const list = await env.db
      .insertInto('price_lists')
      .values({
        ...{ kind, account_id: accountId, carrier_id: carrierId, valid_from: validFrom ?? now },
        ...{ reason: acting.reason ?? null, actor: nameOf(acting.by), created_at: now },
        confirmed_at: dryRun ? null : now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await storeLines(env, list.id, compared);
    if (!dryRun) await planOrApply(env, list);
    const after = { kind, carrier: carrierId, valid_from: list.valid_from, dry_run: dryRun, ...countChanges(compared) };
    return { result: list.id, action: 'price_list.imported', ...about(list), after };
  });
}

/** Makes a dry run count. Its lines are compared again, since prices may have changed meanwhile. */
export function confirmPriceList(acting: Acting, id: string, validFrom?: Date | null): Promise<void> {
  return act(acting, async (env) => {
    const now = env.clock.now();
    const list = await requireList(env, id, 'dry_run');
    // A dry run without a date is valid as soon as it is confirmed.
    const wanted = validFrom === undefined && list.valid_from > list.created_at ? list.valid_from : (validFrom ?? null);
    requireFuture(wanted, now);
    const compared = await compareAgain(env, list);
    await env.db.deleteFrom('price_list_lines').where('price_list_id', '=', id).execute();
    await storeLines(env, id, compared);
    const confirmed = await env.db
      .updateTable('price_lists')
      .set({ confirmed_at: now, valid_from: wanted ?? now })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await planOrApply(env, confirmed);
    const after = { kind: list.kind, valid_from: confirmed.valid_from, ...countChanges(compared) };
    return { result: undefined, action: 'price_list.confirmed', ...about(list), after };
  });
}

/** Before a list is valid; prices that hold are changed by another list. */
export function withdrawPriceList(acting: Acting, id: string): Promise<void> {
  return act(acting, async (env) => {
    const list = await requireList(env, id, 'dry_run', 'planned');
    await env.db.updateTable('price_lists').set({ withdrawn_at: env.clock.now() }).where('id', '=', id).execute();
    const before = { kind: list.kind, valid_from: list.valid_from };
    return { result: undefined, action: 'price_list.withdrawn', ...about(list), before };
  });
}

function checkScope(kind: PriceKindName, { accountId, carrierId }: PriceScope): void {
  if ((kind === 'carrier') !== (carrierId !== null)) {
    throw new OperatorError('Rates of a carrier need the carrier, and no other list has one.');
  }
  const forOne: readonly string[] = ['termination', 'pstn_forwarding', 'toll_free', 'cnam_lookup'];
  if (accountId !== null && !forOne.includes(kind)) {
    throw new OperatorError('Only rates of calls can be for one account; other prices have price adjustments.');
  }
}

function requireFuture(validFrom: Date | null, now: Date): void {
  if (validFrom !== null && validFrom <= now) {
    throw new OperatorError('The list would be valid from a time that has passed. Leave the date out to begin now.');
  }
}

const lockList = ({ db }: Environment, id: string) =>
  db.selectFrom('price_lists').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

async function requireList(env: Environment, id: string, ...states: PriceListState[]): Promise<PriceList> {
  const list = await lockList(env, id);
  if (list === undefined) throw new OperatorError(`There is no price list ${id}.`);
  const state = stateOf(list);
  const shown = { dry_run: 'only a dry run', planned: 'planned', valid: 'valid already', withdrawn: 'withdrawn' };
  if (!states.includes(state)) throw new OperatorError(`This price list is ${shown[state]}.`);
  return list;
}

/** In pieces, so that no statement holds a whole rate deck, nor one turn of the event loop. */
async function storeLines({ db }: Environment, id: string, compared: readonly ComparedLine[]): Promise<void> {
  const linesAtATime = 1000;
  for (let from = 0; from < compared.length; from += linesAtATime) {
    const lines = JSON.stringify(compared.slice(from, from + linesAtATime));
    await sql`
      insert into price_list_lines (price_list_id, line, subject, change, before, after)
      select ${id}, l.line, l.subject, l.change, nullif(l.before, 'null'), nullif(l.after, 'null')
      from jsonb_to_recordset(${lines}::jsonb) as l (line integer, subject text, change text, before jsonb, after jsonb)
    `.execute(db);
  }
}

async function compareAgain({ db }: Environment, list: PriceList): Promise<ComparedLine[]> {
  const stored = await db
    .selectFrom('price_list_lines')
    .select(['line', 'subject', 'after'])
    .where('price_list_id', '=', list.id)
    .where('line', 'is not', null)
    .orderBy('line')
    .execute();
  const file = new Map<string, PricedLine>();
  await inSlices(stored, ({ line, subject, after }) => {
    file.set(subject, { line: line ?? 0, prices: after as PricedLine['prices'] });
  });
  return compareWithCurrent(priceKinds[list.kind], scopeOf(list), file, runIn(db));
}

async function planOrApply(env: Environment, list: PriceList): Promise<void> {
  if (list.valid_from <= env.clock.now()) return apply(env, list);
  const options = { at: list.valid_from, key: `${applyTask.name}:${list.id}` };
  await env.jobs.add(env.db, applyTask, { price_list_id: list.id }, options);
}

async function apply({ db, clock }: Environment, list: PriceList): Promise<void> {
  const query = runIn(db);
  const { accountId, carrierId } = scopeOf(list);
  for (const statement of priceKinds[list.kind].apply) await query(statement, [list.id, accountId, carrierId]);
  await db.updateTable('price_lists').set({ applied_at: clock.now() }).where('id', '=', list.id).execute();
}

const scopeOf = ({ account_id, carrier_id }: PriceList): PriceScope => ({
  accountId: account_id,
  carrierId: carrier_id,
});

const about = ({ id, account_id: accountId }: PriceList) =>
  ({ accountId, subject: { type: 'price_lists', id } }) as const;

export function countChanges(
  compared: readonly Pick<ComparedLine, 'change'>[],
): Record<ComparedLine['change'], number> {
  const counts = { new: 0, changed: 0, removed: 0, unchanged: 0 };
  for (const { change } of compared) counts[change] += 1;
  return counts;
}
