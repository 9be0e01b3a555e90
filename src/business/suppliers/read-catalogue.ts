/**
 * Reads what a supplier offers in the countries that the operator chose: on demand, and every night. A job for each
 * page, so a process that is killed costs the page that it was at. Nothing that is sold changes by it, except that
 * what the supplier withdrew is sold no longer.
 */
import { randomUUID } from 'node:crypto';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { handle, type TaskContext } from '../../engines/jobs/handler.ts';
import { defineTask } from '../../engines/jobs/task.ts';
import { checkConnection, sentenceOf, unsuitable } from './check-connection.ts';
import { openSupplier } from './open-supplier.ts';
import type { NotDone, Outcome } from './outcome.ts';
import { forgetRequests } from './request-log.ts';
import { finishReading, storeGroups } from './store-groups.ts';
import type { Supplier } from './supplier.ts';

type Step = {
  supplier_id: string;
  /** Null begins a reading. */
  reading: string | null;
  page: number;
  /** Ids there, separated by commas. */
  countries: string;
  tries: number;
};

const readTask = defineTask<Step>('suppliers.read_catalogue', {
  priority: 'background',
  outward: true,
  isUpkeep: true,
});

/** What `/v3` gives at once to everybody. */
const pageSize = 100;
const mostPages = 500;
const mostTries = 8;
const hourUtc = 2;

/** A reading under way ends with the page that it is at. `env.db` may be the transaction of an act. */
export async function planReading(env: Environment, supplierId: string): Promise<void> {
  const begun = { state: 'reading', problem: null, progress: 0, reading: null } as const;
  await env.db.updateTable('suppliers').set(begun).where('id', '=', supplierId).execute();
  await addStep(env, firstStep(supplierId));
}

const firstStep = (supplierId: string): Step => ({
  ...{ supplier_id: supplierId, reading: null, page: 0, countries: '', tries: 0 },
});

/** One job per supplier: whatever is planned replaces what was. */
const addStep = (env: Environment, step: Step, at?: Date) =>
  env.jobs.add(env.db, readTask, step, { key: `${readTask.name}:${step.supplier_id}`, ...(at ? { at } : {}) });

export const readCatalogue = handle(readTask, async (step, { env }: TaskContext<Environment>) => {
  const { supplier_id: id, reading } = step;
  const row = await env.db.selectFrom('suppliers').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined || (reading !== null && row.reading !== reading)) return;
  const supplier = await openSupplier(env, id);
  const outcome =
    reading === null
      ? await begin(env, id, supplier, row.countries)
      : await readPage(env, { ...step, reading }, supplier, row.countries);
  if (outcome.kind !== 'done') await tryAgainOrFail(env, step, outcome);
});

async function begin(
  env: Environment,
  id: string,
  supplier: Supplier,
  wanted: readonly string[],
): Promise<Outcome<null>> {
  const checked = await checkConnection(env, id, supplier);
  if (checked.kind !== 'done') return checked;
  const countries = await supplier.countries();
  if (countries.kind !== 'done') return countries;
  const ids = countries.value.filter(({ iso }) => wanted.includes(iso)).map((country) => country.id);
  if (ids.length === 0) {
    const text = `it sells no numbers in ${wanted.join(', ')}`;
    return { kind: 'refused', status: 0, code: unsuitable, text };
  }
  const reading = randomUUID();
  await inTransaction(env.db, async (trx) => {
    const begun = { state: 'reading', problem: null, progress: 0, reading } as const;
    await trx.updateTable('suppliers').set(begun).where('id', '=', id).execute();
    await addStep({ ...env, db: trx }, { supplier_id: id, reading, page: 1, countries: ids.join(), tries: 0 });
  });
  return checked;
}

async function readPage(
  env: Environment,
  step: Step & { reading: string },
  supplier: Supplier,
  wanted: readonly string[],
): Promise<Outcome<null>> {
  const { supplier_id: id, reading, page, countries } = step;
  const outcome = await supplier.groups(countries.split(','), { number: page, size: pageSize });
  if (outcome.kind !== 'done') return outcome;
  const { items, total } = outcome.value;
  const isLast = items.length === 0 || page * pageSize >= total || page === mostPages;
  await inTransaction(env.db, async (trx) => {
    const row = await trx.selectFrom('suppliers').select('reading').where('id', '=', id).forUpdate().executeTakeFirst();
    // Another reading was asked for meanwhile.
    if (row?.reading !== reading) return;
    const groups = items.filter(({ country }) => wanted.includes(country.iso));
    await storeGroups(trx, { supplierId: id, reading }, groups);
    const progress = Math.min(99, Math.floor((100 * page * pageSize) / Math.max(1, total)));
    if (isLast) return end({ ...env, db: trx }, id, reading);
    await trx.updateTable('suppliers').set({ progress }).where('id', '=', id).execute();
    await addStep({ ...env, db: trx }, { ...step, page: page + 1, tries: 0 });
  });
  return { kind: 'done', value: null };
}

async function end(env: Environment, id: string, reading: string): Promise<void> {
  await finishReading(env.db, id, reading);
  const done = { state: 'previewed', progress: 100, problem: null, reading: null, read_at: env.clock.now() } as const;
  await env.db.updateTable('suppliers').set(done).where('id', '=', id).execute();
  await forgetRequests(env);
  await planNight(env, id);
}

const planNight = (env: Environment, id: string) => {
  const at = new Date(env.clock.now());
  // Not all suppliers in the same minute.
  at.setUTCHours(hourUtc, Number.parseInt(id.slice(0, 2), 16) % 60, 0, 0);
  if (at <= env.clock.now()) at.setUTCDate(at.getUTCDate() + 1);
  return addStep(env, firstStep(id), at);
};

/** A page is asked for again, later each time. The first request tells at once what is wrong with a new supplier. */
async function tryAgainOrFail(env: Environment, step: Step, outcome: NotDone): Promise<void> {
  const { supplier_id: id, reading, tries } = step;
  const mayPass = outcome.kind === 'limited' || (reading !== null && outcome.kind !== 'refused');
  const now = env.clock.now().getTime();
  await inTransaction(env.db, async (trx) => {
    const inside = { ...env, db: trx };
    const row = await trx.selectFrom('suppliers').select('reading').where('id', '=', id).forUpdate().executeTakeFirst();
    if (row === undefined || row.reading !== reading) return;
    if (mayPass && tries < mostTries) {
      const at = outcome.kind === 'limited' ? outcome.until : new Date(now + 15_000 * 2 ** tries);
      await trx
        .updateTable('suppliers')
        .set({ problem: sentenceOf(outcome) })
        .where('id', '=', id)
        .execute();
      return addStep(inside, { ...step, tries: tries + 1 }, at);
    }
    const failed = { state: 'failed', reading: null, problem: sentenceOf(outcome) } as const;
    await trx.updateTable('suppliers').set(failed).where('id', '=', id).execute();
    await planNight(inside, id);
  });
}
