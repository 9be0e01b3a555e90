/** Takes catalogue files for import, in the request or as an upload of any size; a job imports them (run-import.ts). */
import { randomUUID } from 'node:crypto';
import { nameOf } from '../../../base/actor.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { requireKnownEnding } from '../../../business/catalogue/import.ts';
import type { Environment } from '../../../engines/environment.ts';
import { type Acting, act } from '../act.ts';
import { importTask } from './run-import.ts';

interface NewImport {
  name: string;
  dryRun: boolean;
  /** The file, or null if it is sent later. */
  content: string | null;
}

const partBytes = 1 << 20;
const largestFile = 2 ** 30;
const abandonedAfterMs = 86_400_000;

/** Returns the id. */
export function requestImport(acting: Acting, { name, dryRun, content }: NewImport): Promise<string> {
  requireKnownEnding(name);
  return act(acting, async (env) => {
    const [id, now] = [randomUUID(), env.clock.now()];
    await forgetAbandoned(env, now);
    const { by, source = null } = acting;
    const operatorId = by.kind === 'operator' ? by.id : null;
    await env.db
      .insertInto('catalogue_imports')
      .values({
        ...{ id, name, dry_run: dryRun, status: 'awaiting_content', reason: acting.reason ?? null },
        ...{ actor: nameOf(by), operator_id: operatorId, source, created_at: now },
      })
      .execute();
    if (content !== null) {
      const bytes = Buffer.from(content);
      const uploadId = randomUUID();
      await storePart(env, { importId: id, uploadId, part: 0 }, bytes);
      await begin(env, id, uploadId, bytes.length);
    }
    const after = { name, dry_run: dryRun };
    const subject = { type: 'catalogue_imports', id };
    return { result: id, action: 'catalogue.import_requested', accountId: null, subject, after };
  });
}

/**
 * Stores a file part by part, without a transaction around the upload: no connection waits for a slow client. The
 * upload that is complete first is the file. Returns its size.
 */
export async function receiveContent(acting: Acting, id: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const { env } = acting;
  const uploadId = randomUUID();
  const discard = () => env.db.deleteFrom('catalogue_import_parts').where('upload_id', '=', uploadId).execute();
  try {
    await requireAwaiting(env, id);
    let size = 0;
    let part = 0;
    for await (const chunk of inParts(bytes)) {
      size += chunk.length;
      if (size > largestFile) throw new OperatorError(`A file has at most ${largestFile} bytes.`);
      await storePart(env, { importId: id, uploadId, part }, chunk);
      part += 1;
    }
    await act(acting, async (inside) => {
      await begin(inside, id, uploadId, size);
      const subject = { type: 'catalogue_imports', id };
      return { result: size, action: 'catalogue.import_requested', accountId: null, subject, after: { size } };
    });
    return size;
  } catch (error) {
    await discard();
    throw error;
  }
}

async function requireAwaiting({ db }: Environment, id: string): Promise<void> {
  const row = await db.selectFrom('catalogue_imports').select('status').where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw new OperatorError(`There is no import ${id}.`);
  if (row.status !== 'awaiting_content') throw alreadyThere();
}

const alreadyThere = () => new OperatorError('The file of this import is here already.');

async function begin(env: Environment, id: string, uploadId: string, size: number): Promise<void> {
  if (size === 0) throw new OperatorError('The file is empty.');
  const { numUpdatedRows } = await env.db
    .updateTable('catalogue_imports')
    .set({ status: 'waiting', upload_id: uploadId, size })
    .where('id', '=', id)
    .where('status', '=', 'awaiting_content')
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw alreadyThere();
  await env.jobs.add(env.db, importTask, { import_id: id });
}

async function storePart(
  { db }: Environment,
  { importId, uploadId, part }: { importId: string; uploadId: string; part: number },
  content: Buffer,
): Promise<void> {
  const row = { import_id: importId, upload_id: uploadId, part, content };
  await db.insertInto('catalogue_import_parts').values(row).execute();
}

async function* inParts(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    waiting.push(chunk);
    length += chunk.length;
    if (length < partBytes) continue;
    yield Buffer.concat(waiting);
    [waiting, length] = [[], 0];
  }
  if (length > 0) yield Buffer.concat(waiting);
}

/** Uploads that broke off a day ago. */
async function forgetAbandoned({ db }: Environment, now: Date): Promise<void> {
  await db
    .deleteFrom('catalogue_import_parts')
    .where('import_id', 'in', (select) =>
      select
        .selectFrom('catalogue_imports')
        .select('id')
        .where('status', '=', 'awaiting_content')
        .where('created_at', '<', new Date(now.getTime() - abandonedAfterMs)),
    )
    .execute();
}
