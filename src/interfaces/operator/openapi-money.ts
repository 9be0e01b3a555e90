/** Statements, invoices and margins, for the OpenAPI document of /operator/v1. */
import { errorResponses } from '../../engines/jsonapi/openapi/schemas.ts';
import { strictObject } from '../../engines/openapi/schema.ts';
import type { OpenApiPart, Operation, Schema } from '../../engines/openapi/types.ts';
import { json, parameter, security, text, textOrNull } from './openapi-parts.ts';

const sums: Record<string, Schema> = { amount: text, net: text, vat: text };

const month = parameter('month', 'Such as `2026-05`, in UTC.');
const statementParameters = [parameter('account', 'The id of the account.'), month];

const statement: Operation = {
  operationId: 'read_statement',
  summary: "Read an account's statement of a month",
  description: 'From the ledger alone: the opening balance, every movement, sums by cause, the closing balance.',
  tags: ['Money'],
  security,
  parameters: statementParameters,
  responses: json(
    'The statement.',
    {
      month: text,
      currency: text,
      opening: text,
      closing: text,
      sums: { type: 'array', items: strictObject({ cause: text, count: { type: 'integer' }, ...sums }) },
      lines: {
        type: 'array',
        items: strictObject({
          ...{ movement: text, at: text, cause: text, reference: text, order: textOrNull, vat_rate: textOrNull },
          ...sums,
        }),
      },
    },
    { named: true },
  ),
};

const statementCsv: Operation = {
  operationId: 'export_statement',
  summary: "Download an account's statement of a month as CSV",
  description: 'The movements between a line with the opening and one with the closing balance.',
  tags: ['Money'],
  security,
  parameters: statementParameters,
  responses: {
    200: { description: 'The file.', content: { 'text/csv': { schema: text } } },
    ...errorResponses({ named: true }),
  },
};

const pdf: Operation['responses'] = {
  200: { description: 'The file.', content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } } },
  ...errorResponses({ named: true }),
};

const statementPdf: Operation = {
  operationId: 'print_statement',
  summary: "Download an account's statement of a month as PDF",
  description: 'For the customer; `TRUNKLINE_SELLER` says who sends it.',
  tags: ['Money'],
  security,
  parameters: statementParameters,
  responses: pdf,
};

const invoicePdf: Operation = {
  operationId: 'print_invoice',
  summary: 'Download an invoice as PDF',
  description: 'As it was issued; `TRUNKLINE_SELLER` says who sends it.',
  tags: ['Money'],
  security,
  parameters: [{ name: 'id', in: 'path', required: true, schema: text, description: 'The id of the invoice.' }],
  responses: pdf,
};

const invoiceXml: Operation = {
  ...invoicePdf,
  operationId: 'export_invoice',
  summary: 'Download an invoice as e-invoice (UBL 2.1, EN 16931)',
  description: 'Needs the country of the seller (`TRUNKLINE_SELLER_COUNTRY`) and the billing profile of the customer.',
  responses: {
    200: { description: 'The file.', content: { 'application/xml': { schema: text } } },
    ...errorResponses({ named: true, writes: true }),
  },
};

const invoicePreviews: Operation = {
  operationId: 'preview_invoices',
  summary: 'Preview the bills that would be issued for a month',
  description: 'Of all accounts that have none for it yet; issues nothing.',
  tags: ['Money'],
  security,
  parameters: [month],
  responses: json('What would be issued.', {
    month: text,
    currency: text,
    bills: {
      type: 'array',
      items: strictObject({
        ...{ account_id: text, account: text, kind: text, net: text, vat: text, total: text },
        problem: { ...textOrNull, description: 'Why it is not issued on schedule.' },
      }),
    },
  }),
};

const integer: Schema = { type: 'integer' };

const margins: Operation = {
  operationId: 'report_margins',
  summary: 'Report what outbound calls of a month earned and cost',
  description: 'By carrier and by the first digits of the called number, the worst margin first.',
  tags: ['Money'],
  security,
  parameters: [month, parameter('digits', 'How many digits, 1 to 9.')],
  responses: json('The report.', {
    month: text,
    rows: {
      type: 'array',
      items: strictObject({
        ...{ carrier: textOrNull, prefix: text, calls: integer, answered: integer, billed_seconds: integer },
        ...{ revenue: text, cost: text, margin: text },
      }),
    },
  }),
};

export const moneyPaths = (prefix: string): OpenApiPart['paths'] => ({
  [`${prefix}/statements`]: { get: statement },
  [`${prefix}/statements.csv`]: { get: statementCsv },
  [`${prefix}/statements.pdf`]: { get: statementPdf },
  [`${prefix}/invoice_previews`]: { get: invoicePreviews },
  [`${prefix}/invoices/{id}.pdf`]: { get: invoicePdf },
  [`${prefix}/invoices/{id}.xml`]: { get: invoiceXml },
  [`${prefix}/margins`]: { get: margins },
});
