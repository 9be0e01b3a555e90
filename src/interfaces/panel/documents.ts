/** The account's own statements (JSON, CSV, PDF) and invoices in `/panel/v1`. */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../base/uuid.ts';
import { findInvoice, shownLines } from '../../business/statements/invoice.ts';
import { checkedMonth, sendInvoice, sendStatement, statementForms } from '../../business/statements/send-documents.ts';
import { statementOf } from '../../business/statements/statement.ts';
import { dateTime, decimal, integer, list, text } from '../../engines/jsonapi/attributes.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { anyInteger, anyOf } from '../../engines/jsonapi/filters.ts';
import { callerOf } from '../platform/context.ts';
import { owned } from './context.ts';
import { type ContextOf, parametersOf, plain } from './plain-routes.ts';

const month = `to_char(t.month, 'YYYY-MM')`;

export const invoices = owned('invoices', {
  group: 'Panel',
  noun: 'invoice',
  summary: 'What the account was charged in a month, with VAT; `/invoices/{id}.pdf` is the file.',
  attributes: {
    number: integer({ doc: 'Its number.' }),
    month: text({ column: month, doc: 'Such as `2026-05`.' }),
    customer: text({ doc: 'The name of the account at the time.' }),
    net: decimal({ doc: 'Without VAT.' }),
    vat: decimal({ doc: 'The VAT.' }),
    total: decimal({ column: '(t.net + t.vat)', doc: 'What was charged.' }),
    lines: list({ type: 'string' }, { column: shownLines, doc: 'Cause, VAT rate, net and VAT of each line.' }),
    created_at: dateTime({ doc: 'When it was issued.' }),
  },
  filters: { number: anyInteger('t.number'), month: anyOf(month) },
  sort: ['number', 'created_at'],
  defaultSort: '-number',
});

export function documentRoutes(app: FastifyInstance, contextOf: ContextOf): void {
  for (const form of statementForms) {
    app.get(`/statements${form}`, { config: plain('statements') }, async (request, reply) => {
      const context = contextOf(request);
      const given = parametersOf(request, ['month']).month;
      if (given === undefined) throw new ApiError([errors.missingParameter('month')]);
      const { accountId } = callerOf(context);
      const { env, now: at } = context;
      const statement = await statementOf(env, accountId, checkedMonth(given));
      const { name: customer } = await env.db
        .selectFrom('accounts')
        .select('name')
        .where('id', '=', accountId)
        .executeTakeFirstOrThrow();
      return sendStatement(reply, form, statement, { seller: env.seller, customer, at });
    });
  }
  app.get('/invoices/:id.pdf', { config: plain('invoices') }, async (request, reply) => {
    const context = contextOf(request);
    const { id } = request.params as { id: string };
    const { env } = context;
    const invoice = isUuid(id) ? await findInvoice(env.db, id, callerOf(context).accountId) : null;
    return sendInvoice(reply, invoice, env);
  });
}
