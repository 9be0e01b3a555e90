/** Makes an export's file: PostgreSQL's own COPY through gzip into pieces, never more than a few of them in memory. */
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { to as copyTo } from 'pg-copy-streams';
import { scheduleCallback } from '../../callbacks/schedule-callback.ts';
import { withoutTimeouts } from '../../db/timeouts.ts';
import type { Environment } from '../../environment.ts';
import { handle } from '../../jobs/handler.ts';
import { exportQuery } from './export-query.ts';
import { type ExportFilters, type ExportType, windowOf } from './export-window.ts';
import { PieceWriter } from './piece-writer.ts';
import { deleteExportTask, makeExportTask } from './tasks.ts';

export const makeExport = handle(makeExportTask, async ({ export_id: id }, { env }) => {
  const wish = await env.db
    .updateTable('exports')
    .set({ status: 'processing' })
    .where('id', '=', id)
    .where('status', '!=', 'completed')
    .returning(['id', 'account_id', 'export_type', 'filters'])
    .executeTakeFirst();
  if (wish === undefined) return;
  const file = await writeFile(env, id, wish.export_type, wish.account_id, windowOf(wish.filters));
  await complete(env, id, file);
});

export interface WrittenFile {
  size: number;
  checksum: string;
}

/** What an earlier try has left is thrown away first. */
export async function writeFile(
  env: Environment,
  exportId: string,
  type: ExportType,
  accountId: string,
  filters: ExportFilters,
): Promise<WrittenFile> {
  await env.db.deleteFrom('export_pieces').where('export_id', '=', exportId).execute();
  const client = await env.pool.connect();
  const hash = createHash('sha256');
  const pieces = new PieceWriter(env, exportId, hash);
  try {
    const copy = `copy (${exportQuery(type, accountId, filters)}) to stdout with (format csv, header)`;
    await withoutTimeouts(client, () =>
      pipeline(client.query(copyTo(copy)), createGzip({ chunkSize: 65_536 }), pieces),
    );
    client.release();
  } catch (error) {
    // A COPY that was left in the middle cannot be used for anything else.
    client.release(true);
    throw error;
  }
  return { size: pieces.size, checksum: hash.digest('hex') };
}

async function complete(env: Environment, id: string, { size, checksum }: WrittenFile): Promise<void> {
  const now = env.clock.now();
  await env.db.transaction().execute(async (trx) => {
    const done = await trx
      .updateTable('exports')
      .set({ status: 'completed', completed_at: now, size, checksum })
      .where('id', '=', id)
      .where('status', '=', 'processing')
      .returningAll()
      .executeTakeFirst();
    if (done === undefined) return;
    await env.jobs.add(trx, deleteExportTask, { export_id: id }, { at: monthAfter(now) });
    if (done.callback_url === null || done.callback_method === null) return;
    // Callbacks of versions before 2026-04-16 had no URL.
    const url = 'year' in done.filters ? {} : { url: `${done.base_url}/exports/${done.file_name}.csv.gz` };
    await scheduleCallback(trx, env, {
      accountId: done.account_id,
      kind: 'exports',
      resourceId: id,
      url: done.callback_url,
      method: done.callback_method,
      payload: { id, type: 'exports', status: 'completed', ...url },
      sealedSigningKey: done.sealed_signing_key,
    });
  });
}

/** The same day of the next month, or its last where it has none. */
export function monthAfter(at: Date): Date {
  const days = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 2, 0)).getUTCDate();
  const next = new Date(at);
  next.setUTCMonth(at.getUTCMonth() + 1, Math.min(at.getUTCDate(), days));
  return next;
}

/** A month after its completion an export goes, with its file. */
export const deleteExport = handle(deleteExportTask, async ({ export_id }, { env }) => {
  await env.db.deleteFrom('exports').where('id', '=', export_id).execute();
});
