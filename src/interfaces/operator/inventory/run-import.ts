/**
 * The job that imports a catalogue file which was handed in over HTTP. The result is stored in the transaction of the
 * import, so a run after a crash either finds it or imports everything anew. One at a time in a process: others would
 * only wait for the same lock with a connection each.
 */
import type { Selectable, Updateable } from 'kysely';
import type { Actor } from '../../../base/actor.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { writeAudit } from '../../../business/audit.ts';
import { type Imported, importFrom } from '../../../business/catalogue/import.ts';
import { InvalidLines } from '../../../business/catalogue/import-errors.ts';
import type { CatalogueImportsTable } from '../../../engines/db/tables/operators.ts';
import type { Environment } from '../../../engines/environment.ts';
import { handle, type TaskContext } from '../../../engines/jobs/handler.ts';
import { LaneFull } from '../../../engines/jobs/lanes.ts';
import { defineTask } from '../../../engines/jobs/task.ts';

export const importTask = defineTask<{ import_id: string }>('catalogue.import', { priority: 'background' });

type ImportRow = Selectable<CatalogueImportsTable>;

const mostLines = 200;

export const importLane = 'catalogue imports';

export const runImport = handle(importTask, async ({ import_id: id }, { env }: TaskContext<Environment>) => {
  const leave = env.jobs.lanes.tryEnter(importLane, 1);
  if (leave === null) throw new LaneFull(importLane);
  try {
    await runHere(env, id);
  } finally {
    leave();
  }
});

async function runHere(env: Environment, id: string): Promise<void> {
  const row = await env.db.selectFrom('catalogue_imports').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined || !['waiting', 'running'].includes(row.status)) return;
  await change(env, id, { status: 'running' });
  try {
    const imported = await importFile(env, row);
    // A dry run was rolled back, with what it stored about itself.
    if (row.dry_run) await change(env, id, finished(env, imported));
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    await change(env, id, { status: 'failed', finished_at: env.clock.now(), ...problemOf(error) });
  }
  await env.db.deleteFrom('catalogue_import_parts').where('import_id', '=', id).execute();
}

function importFile(env: Environment, row: ImportRow): Promise<Imported> {
  const { id, name, size, dry_run: dryRun } = row;
  return importFrom(
    env,
    { name, size, bytes: partsOf(env, row) },
    {
      maxErrors: mostLines,
      dryRun,
      onProgress: progressOf(env, id),
      record: async (db, imported) => {
        await change({ ...env, db }, id, finished(env, imported));
        await writeAudit(db, {
          ...{ at: env.clock.now(), action: 'catalogue.imported', accountId: null, after: { ...imported } },
          ...{ by: requesterOf(row), source: row.source, reason: row.reason },
          subject: { type: 'catalogue_imports', id },
        });
      },
    },
  );
}

/** The job imports on behalf of who handed the file in. */
const requesterOf = ({ actor, operator_id: id }: ImportRow): Actor =>
  id === null ? { kind: 'named', id: actor } : { kind: 'operator', id, email: actor };

async function* partsOf({ db }: Environment, { id, upload_id: uploadId }: ImportRow): AsyncGenerator<Uint8Array> {
  for (let part = 0; ; part += 1) {
    const found = await db
      .selectFrom('catalogue_import_parts')
      .select('content')
      .where('import_id', '=', id)
      .where('upload_id', '=', uploadId)
      .where('part', '=', part)
      .executeTakeFirst();
    if (found === undefined) return;
    yield found.content;
  }
}

/** Outside the transaction of the import, so that others see it: reading is the first half, storing the second. */
function progressOf(env: Environment, id: string) {
  let shown = 0;
  return ({ stage, done, of }: { stage: 'read' | 'store'; done: number; of: number }) => {
    const half = Math.floor((50 * done) / Math.max(1, of));
    const percent = Math.min(99, stage === 'read' ? half : 50 + half);
    if (percent < shown + 5) return;
    shown = percent;
    change(env, id, { progress: percent }, 'running').catch((error: unknown) =>
      env.log.warn({ err: error, import: id }, 'the progress of an import could not be stored'),
    );
  };
}

const finished = (env: Environment, { entries, numbers }: Imported) =>
  ({ status: 'done', progress: 100, entries, numbers, finished_at: env.clock.now() }) as const;

function problemOf(error: OperatorError): Updateable<CatalogueImportsTable> {
  if (!(error instanceof InvalidLines)) return { problem: error.message };
  return { errors: JSON.stringify(error.lines), error_count: error.count };
}

async function change(
  { db }: Pick<Environment, 'db'>,
  id: string,
  values: Updateable<CatalogueImportsTable>,
  only?: ImportRow['status'],
): Promise<void> {
  const update = db.updateTable('catalogue_imports').set(values).where('id', '=', id);
  await (only === undefined ? update : update.where('status', '=', only)).execute();
}
