/**
 * `GET /exports/{filename}.csv.gz`: the file of a completed export, or a range of it, as a stream; and
 * `GET /cdr_exports/{filename}.csv`, where clients of versions before 2021-12-15 find it, not compressed.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { isUuid } from '../../../base/uuid.ts';
import type { Environment } from '../../../engines/environment.ts';
import type { ExtraRoutes, RouteFlags } from '../../../engines/jsonapi/engine.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { objectsOf } from '../../../engines/objects/objects-of.ts';
import { callerOf, type PlatformContext } from '../context.ts';
import { pieceBytes } from './make-export.ts';

export const downloadRoutes: ExtraRoutes<PlatformContext> = (app, contextOf) => {
  app.get(
    '/exports/:name.csv.gz',
    { config: { media: 'own', type: 'exports' } satisfies RouteFlags },
    async (request, reply) => {
      const context = contextOf(request);
      const { name = '' } = request.params as { name?: string };
      const file = await findFile(context, name);
      const range = readRange(request.headers.range, file.size);
      const etag = `"${file.checksum}"`;
      const isKnown = request.headers['if-none-match'] === etag;
      const { first, last } = range === null || range === 'beyond' ? { first: 0, last: file.size - 1 } : range;
      // Before the headers, which are not those of an error.
      const content = isKnown || range === 'beyond' ? null : await contentOf(context.env, file, first, last);
      reply.headers({
        'content-type': 'application/gzip',
        'content-disposition': `attachment; filename="${name}.csv.gz"`,
        'content-transfer-encoding': 'binary',
        'accept-ranges': 'bytes',
        'last-modified': file.completedAt.toUTCString(),
        etag,
        'cache-control': 'private',
      });
      if (isKnown) return reply.code(304).send();
      if (content === null) return reply.code(416).header('content-range', `bytes */${file.size}`).send();
      if (range !== null) reply.code(206).header('content-range', `bytes ${first}-${last}/${file.size}`);
      reply.header('content-length', String(last - first + 1));
      return reply.send(Readable.from(content));
    },
  );
  app.get(
    '/cdr_exports/:name.csv',
    { config: { media: 'own', type: 'exports' } satisfies RouteFlags },
    async (request, reply) => {
      const context = contextOf(request);
      const { name = '' } = request.params as { name?: string };
      const file = await findFile(context, name);
      const etag = `"${file.checksum}-csv"`;
      const isKnown = request.headers['if-none-match'] === etag;
      const content = isKnown ? null : await contentOf(context.env, file, 0, file.size - 1);
      reply.headers({
        'content-type': 'text/csv',
        'content-disposition': `attachment; filename="${name}.csv"`,
        'last-modified': file.completedAt.toUTCString(),
        etag,
        'cache-control': 'private',
      });
      if (content === null) return reply.code(304).send();
      const compressed = Readable.from(content);
      const plain = createGunzip();
      // What ends one ends the other: a client that leaves, and a file that cannot be read.
      pipeline(compressed, plain).catch(() => plain.destroy());
      return reply.send(plain);
    },
  );
};

async function findFile(context: PlatformContext, name: string) {
  const row = isUuid(name)
    ? await context.env.db
        .selectFrom('exports')
        .select(['id', 'size', 'checksum', 'completed_at', 'object_key'])
        .where('file_name', '=', name)
        .where('account_id', '=', callerOf(context).accountId)
        .where('status', '=', 'completed')
        .executeTakeFirst()
    : undefined;
  if (row === undefined || row.completed_at === null) throw new ApiError([errors.recordNotFound(name)]);
  return {
    id: row.id,
    size: row.size ?? 0,
    checksum: row.checksum ?? '',
    completedAt: row.completed_at,
    objectKey: row.object_key,
  };
}

/** One range of bytes, as a download that goes on asks for; null when the whole file is wanted. */
export function readRange(header: string | undefined, size: number): { first: number; last: number } | 'beyond' | null {
  const parts = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!parts || (parts[1] === '' && parts[2] === '')) return null;
  const first = parts[1] === '' ? Math.max(size - Number(parts[2]), 0) : Number(parts[1]);
  const last = parts[1] === '' || parts[2] === '' ? size - 1 : Math.min(Number(parts[2]), size - 1);
  return first > last ? 'beyond' : { first, last };
}

/** Throws before the first byte if the storage does not respond. */
async function contentOf(
  env: Environment,
  { id, objectKey }: { id: string; objectKey: string | null },
  first: number,
  last: number,
): Promise<AsyncIterable<Buffer>> {
  return objectKey === null ? pieces(env, id, first, last) : objectsOf(env).read(objectKey, first, last);
}

async function* pieces(env: Environment, exportId: string, first: number, last: number): AsyncGenerator<Buffer> {
  for (let piece = Math.floor(first / pieceBytes); piece * pieceBytes <= last; piece++) {
    const row = await env.db
      .selectFrom('export_pieces')
      .select('bytes')
      .where('export_id', '=', exportId)
      .where('piece', '=', piece)
      .executeTakeFirst();
    if (row === undefined) throw new Error('a piece of an export is missing');
    const start = piece * pieceBytes;
    yield row.bytes.subarray(Math.max(first - start, 0), last - start + 1);
  }
}
