/** The audit log as CSV. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { csvLine } from '../../base/csv.ts';
import { parseQuery } from '../../engines/jsonapi/query.ts';
import { readQueryString } from '../../engines/jsonapi/query-string.ts';
import { selectPage } from '../../engines/jsonapi/select.ts';
import type { Row } from '../../engines/jsonapi/sql.ts';
import { auditEntries } from './audit-entries.ts';
import type { OperatorContext } from './context.ts';
import { type ContextOf, ownMedia } from './own-route.ts';
import { registry } from './resources.ts';

const columns = [
  'at',
  'actor',
  'source',
  'action',
  'subject_type',
  'subject_id',
  'account',
  'before',
  'after',
  'reason',
] as const;

export function auditExportRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/audit_entries.csv', { config: ownMedia('audit_entries') }, async (request, reply) => {
    const context = contextOf(request);
    const query = parseQuery(registry, auditEntries, readQueryString(request.url), context, true);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="audit_entries.csv"')
      .header('cache-control', 'no-store')
      .send(Readable.from(auditLines(context, { ...query, include: new Map([['account', new Map()]]) })));
  });
}

const rowsAtATime = 1_000;

/** Entries that are added meanwhile are left out, so that no page moves while the file is written. */
async function* auditLines(context: OperatorContext, query: Parameters<typeof selectPage>[2]): AsyncGenerator<string> {
  yield csvLine(columns);
  const [newest] = await context.query('select coalesce(max(id), 0)::text as id from audit_log', []);
  for (let number = 1; ; number += 1) {
    const page = { number, size: rowsAtATime };
    const { rows } = await selectPage(context, auditEntries, { ...query, page }, (params) => [
      `t.id <= ${params.add(newest?.id)}::bigint`,
    ]);
    yield rows.map((row) => csvLine(columns.map((name) => columnOf(row, name)))).join('');
    if (rows.length < rowsAtATime) return;
  }
}

const columnOf = (row: Row, name: (typeof columns)[number]): unknown =>
  name === 'account' ? row['→account'] : row[name];
