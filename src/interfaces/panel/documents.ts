/** The account's own statements (JSON, CSV, PDF) and invoices in `/panel/v1`. */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../base/uuid.ts';
import { findInvoice, shownLines, shownReference } from '../../business/statements/invoice.ts';
import {
  checkedMonth,
  invoiceForms,
  sendInvoice,
  sendStatement,
  statementForms,
} from '../../business/statements/send-documents.ts';
import { statementOf } from '../../business/statements/statement.ts';
import { dateTime, decimal, integer, list, text } from '../../engines/jsonapi/attributes.ts';
import { ApiError, errors } from '../../engines/jsonapi/errors.ts';
import { anyInteger, anyOf } from '../../engines/jsonapi/filters.ts';
import { callerOf } from '../platform/context.ts';
import { owned } from './context.ts';
import { type ContextOf, parametersOf, plain } from './plain-routes.ts';

const month = `to_char(t.month, 'YYYY-MM')`;

const kinds = { invoice: 'What was charged.', credit_note: 'What was given back.' };

export const invoices = owned('invoices', {
  group: 'Panel',
  noun: 'invoice',
  summary:
    'What the account was charged in a month, or given back, with VAT; `/invoices/{id}.pdf` and `.xml` are the files.',
  attributes: {
    kind: text({ values: kinds, doc: 'Which of the two.' }),
    number: integer({ doc: 'Its number in its series.' }),
    reference: text({ column: shownReference, doc: 'As it is printed.' }),
    currency: text({ nullable: true, column: `t.document->>'currency'`, doc: 'Null for those of before it was kept.' }),
    month: text({ column: month, doc: 'Such as `2026-05`.' }),
    customer: text({ doc: 'The name of the account at the time.' }),
    net: decimal({ doc: 'Without VAT.' }),
    vat: decimal({ doc: 'The VAT.' }),
    total: decimal({ column: '(t.net + t.vat)', doc: 'What was charged, or given back.' }),
    lines: list({ type: 'string' }, { column: shownLines, doc: 'Cause, VAT rate, net and VAT of each line.' }),
    created_at: dateTime({ doc: 'When it was issued.' }),
  },
  filters: {
    kind: anyOf('t.kind', { values: kinds }),
    number: anyInteger('t.number'),
    reference: anyOf(shownReference),
    month: anyOf(month),
  },
  sort: ['number', 'created_at'],
  defaultSort: '-created_at',
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
  for (const form of invoiceForms) {
    app.get(`/invoices/:id${form}`, { config: plain('invoices') }, async (request, reply) => {
      const context = contextOf(request);
      const { id } = request.params as { id: string };
      const invoice = isUuid(id) ? await findInvoice(context.env, id, callerOf(context).accountId) : null;
      return sendInvoice(reply, form, invoice);
    });
  }
}
