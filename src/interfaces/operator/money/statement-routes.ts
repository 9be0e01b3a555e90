/** Statements of an account by month and invoices as files; and the margin of outbound calls by carrier and prefix. */
import type { FastifyInstance } from 'fastify';
import { isUuid } from '../../../base/uuid.ts';
import { findAccount } from '../../../business/accounts/accounts.ts';
import { findInvoice } from '../../../business/statements/invoice.ts';
import {
  checkedMonth,
  invoiceForms,
  sendInvoice,
  sendStatement,
  statementForms,
} from '../../../business/statements/send-documents.ts';
import { statementOf } from '../../../business/statements/statement.ts';
import { ApiError, errors } from '../../../engines/jsonapi/errors.ts';
import { type ContextOf, ownMedia, parametersOf } from '../own-route.ts';
import { previewBills } from './bill-schedule.ts';
import { marginReport } from './margin.ts';

export function statementRoutes(app: FastifyInstance, contextOf: ContextOf): void {
  for (const form of statementForms) {
    app.get(`/statements${form}`, { config: ownMedia('statements') }, async (request, reply) => {
      const context = contextOf(request);
      const { account, month } = parametersOf(request, 'account', 'month');
      checkedMonth(month);
      const { env, now: at } = context;
      const found = isUuid(account) ? await findAccount(env, account) : undefined;
      if (!found) throw new ApiError([errors.recordNotFound(account)]);
      const statement = await statementOf(env, found.id, month);
      return sendStatement(reply, form, statement, { seller: env.seller, customer: found.name, at });
    });
  }
  for (const form of invoiceForms) {
    app.get(`/invoices/:id${form}`, { config: ownMedia('invoices') }, async (request, reply) => {
      const { env } = contextOf(request);
      const { id } = request.params as { id: string };
      return sendInvoice(reply, form, isUuid(id) ? await findInvoice(env, id, null) : null);
    });
  }
  app.get('/invoice_previews', { config: ownMedia('invoices') }, async (request, reply) => {
    const { env } = contextOf(request);
    const month = checkedMonth(parametersOf(request, 'month').month);
    const bills = await previewBills(env, month);
    return reply.header('cache-control', 'no-store').send({ month, currency: env.currency, bills });
  });
  app.get('/margins', { config: ownMedia('margins') }, async (request, reply) => {
    const context = contextOf(request);
    const { month, digits } = parametersOf(request, 'month', 'digits');
    if (!/^[1-9]$/.test(digits)) throw new ApiError([errors.invalidFieldValue(digits, 'digits')]);
    const rows = await marginReport(context.env.db, checkedMonth(month), Number(digits));
    return reply.header('cache-control', 'no-store').send({ month, rows });
  });
}
