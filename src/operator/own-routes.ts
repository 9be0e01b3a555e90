/** The routes of /operator/v1 that are no JSON:API documents: the dry run of routing, and the audit log as CSV. */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RouteFlags } from '../jsonapi/engine.ts';
import { ApiError, errors } from '../jsonapi/errors.ts';
import { parseQuery } from '../jsonapi/query.ts';
import { readQueryString } from '../jsonapi/query-string.ts';
import { selectPage } from '../jsonapi/select.ts';
import type { Row } from '../jsonapi/sql.ts';
import { dryRunInbound } from '../voice/inbound/dry-run.ts';
import { auditEntries } from './audit-entries.ts';
import { type OperatorContext, requireRole } from './context.ts';
import { registry } from './resources.ts';

type ContextOf = (request: FastifyRequest) => OperatorContext;

const ownMedia: RouteFlags = { media: 'own' };

export function routingRoute(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/routing', { config: ownMedia }, async (request, reply) => {
    const context = contextOf(request);
    requireRole(context, 'routing', 'read');
    const { refusal, trunks, notes, accountId } = await dryRunInbound(context.env, callIn(request));
    return reply.header('cache-control', 'no-store').send({
      decision: refusal === null ? 'routed' : 'refused',
      code: refusal?.code ?? null,
      reason: refusal?.text ?? null,
      account_id: accountId,
      trunks,
      notes,
    });
  });
}

/** `from` may be anonymous; `to` is a number of ours. */
function callIn(request: FastifyRequest): { from: string; to: string } {
  const query = new Map(readQueryString(request.url));
  const unknown = [...query.keys()].find((name) => name !== 'from' && name !== 'to');
  if (unknown !== undefined) throw new ApiError([errors.paramNotAllowed(unknown)]);
  const [from, to] = [query.get('from'), query.get('to')];
  if (!from) throw new ApiError([errors.missingParameter('from')]);
  if (!to) throw new ApiError([errors.missingParameter('to')]);
  const digits = to.replace(/^[+ ]/, '');
  if (!/^\d{3,20}$/.test(digits)) throw new ApiError([errors.invalidFieldValue(to, 'to')]);
  return { from: from.trim(), to: digits };
}

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
  app.get('/audit_entries.csv', { config: ownMedia }, async (request, reply) => {
    const context = contextOf(request);
    requireRole(context, 'audit_entries', 'read');
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
  yield `${columns.join(',')}\r\n`;
  const [newest] = await context.query('select coalesce(max(id), 0)::text as id from audit_log', []);
  for (let number = 1; ; number += 1) {
    const page = { number, size: rowsAtATime };
    const { rows } = await selectPage(context, auditEntries, { ...query, page }, (params) => [
      `t.id <= ${params.add(newest?.id)}::bigint`,
    ]);
    yield rows.map((row) => `${columns.map((name) => cell(columnOf(row, name))).join(',')}\r\n`).join('');
    if (rows.length < rowsAtATime) return;
  }
}

const columnOf = (row: Row, name: (typeof columns)[number]): unknown =>
  name === 'account' ? row['→account'] : row[name];

/** A text that a spreadsheet would take for a formula gets an apostrophe before it. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text =
    value instanceof Date ? value.toISOString() : typeof value === 'object' ? JSON.stringify(value) : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
