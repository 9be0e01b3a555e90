/** What a supplier does to a number by itself reaches the number here. */
import { type Kysely, sql } from 'kysely';
import { type ChangedNumber, compareSupplier } from '../../../business/suppliers/books/compare.ts';
import { compareTask, planComparison } from '../../../business/suppliers/books/plan-comparison.ts';
import type { Schema } from '../../../engines/db/schema.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { jobActor } from '../../../engines/jobs/task.ts';
import { refundNumber } from './charges.ts';
import { methodOf } from './did-history.ts';
import { returnToStock } from './move-numbers.ts';
import { findDid } from './owned-did.ts';

/** What is done here is done by the job. */
const method = methodOf(jobActor(compareTask));

/** The hourly comparison; a supplier that does not answer is asked again in an hour. */
export const compareWithSupplier = handle(
  compareTask,
  async ({ supplier_id: id }, { env }: TaskContext<Environment>) => {
    const holds = await env.db
      .selectFrom('supplier_purchases')
      .select('id')
      .where('supplier_id', '=', id)
      .where('state', 'not in', ['delivered', 'refused', 'undone'])
      .executeTakeFirst();
    if (holds === undefined) return;
    await compareNow(env, id);
    await planComparison(env, id);
  },
);

/** Compares, and has each number that the supplier has changed follow. */
const compareNow = (env: Environment, supplierId: string) =>
  compareSupplier(env, supplierId, (trx, changed) => follow(trx, env, changed));

async function follow(trx: Kysely<Schema>, env: Environment, { number, orderId, what }: ChangedNumber): Promise<void> {
  if (what === 'ended') return takeAway(trx, env, number, orderId);
  await sql`
    update dids set blocked_by_staff = ${what === 'blocked'} where number = ${number} and order_id = ${orderId}
  `.execute(trx);
}

/** A number that the supplier has ended leaves its customer, who gets back what is not used of the month. */
async function takeAway(trx: Kysely<Schema>, env: Environment, number: string, orderId: string): Promise<void> {
  const row = await trx
    .selectFrom('dids')
    .select('id')
    .where('number', '=', number)
    .where('order_id', '=', orderId)
    .executeTakeFirst();
  const did = row === undefined ? null : await findDid(trx, row.id);
  if (did === null) return;
  const now = env.clock.now();
  await returnToStock(trx, env, { where: sql`d.id = ${did.id}`, method, now });
  if (did.expired_at === null && !did.given_back) await refundNumber(trx, did, now);
}
