/** Statements of an account by month, as JSON and as CSV; and the margin of outbound calls by carrier and prefix. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findAccount } from '../../accounts/accounts.ts';
import { ApiError, errors } from '../../jsonapi/errors.ts';
import { isUuid } from '../../uuid.ts';
import { type OperatorContext, requireRole } from '../context.ts';
import { csvLine } from '../csv.ts';
import { type ContextOf, ownMedia, parametersOf } from '../own-route.ts';
import { marginReport } from './margin.ts';
import { type Statement, statementOf } from './statement.ts';

export function statementRoutes(app: FastifyInstance, contextOf: ContextOf): void {
  app.get('/statements', { config: ownMedia }, async (request, reply) => {
    const { lines, ...rest } = await requestedStatement(contextOf(request), request);
    return reply.header('cache-control', 'no-store').send({ ...rest, lines });
  });
  app.get('/statements.csv', { config: ownMedia }, async (request, reply) => {
    const statement = await requestedStatement(contextOf(request), request);
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="statement-${statement.month}.csv"`)
      .header('cache-control', 'no-store')
      .send(statementCsv(statement));
  });
  app.get('/margins', { config: ownMedia }, async (request, reply) => {
    const context = contextOf(request);
    requireRole(context, 'margins', 'read');
    const { month, digits } = parametersOf(request, 'month', 'digits');
    if (!/^[1-9]$/.test(digits)) throw new ApiError([errors.invalidFieldValue(digits, 'digits')]);
    const rows = await marginReport(context.env.db, checkedMonth(month), Number(digits));
    return reply.header('cache-control', 'no-store').send({ month, rows });
  });
}

async function requestedStatement(context: OperatorContext, request: FastifyRequest): Promise<Statement> {
  requireRole(context, 'statements', 'read');
  const { account, month } = parametersOf(request, 'account', 'month');
  checkedMonth(month);
  const found = isUuid(account) ? await findAccount(context.env, account) : undefined;
  if (!found) throw new ApiError([errors.recordNotFound(account)]);
  return statementOf(context.env.db, found.id, month);
}

function checkedMonth(month: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(month)) throw new ApiError([errors.invalidFieldValue(month, 'month')]);
  return month;
}

const columns = ['at', 'movement', 'cause', 'reference', 'order', 'amount', 'net', 'vat', 'vat_rate'] as const;

function statementCsv({ opening, closing, lines }: Statement): string {
  const balance = (name: string, amount: string) => csvLine(['', '', name, '', '', amount, '', '', '']);
  return [
    csvLine(columns),
    balance('opening balance', opening),
    ...lines.map((line) => csvLine(columns.map((name) => line[name]))),
    balance('closing balance', closing),
  ].join('');
}
