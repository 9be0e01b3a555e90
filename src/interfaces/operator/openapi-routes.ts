/** The routes of /operator/v1 that are no JSON:API documents, for its OpenAPI document. */
import { errorResponses } from '../../engines/jsonapi/openapi/schemas.ts';
import { strictObject } from '../../engines/openapi/schema.ts';
import type { OpenApiPart, Operation, Schema } from '../../engines/openapi/types.ts';
import { inventoryPaths } from './openapi-inventory.ts';
import { json, parameter, security, text, textOrNull } from './openapi-parts.ts';
import { reportPaths } from './openapi-reports.ts';
import { priceKindNames } from './pricing/price-kinds.ts';
import { submissionFile, submissionPapers } from './review/openapi.ts';
import { prefix } from './routes.ts';

const decision: Record<string, Schema> = {
  decision: { type: 'string', enum: ['routed', 'refused'] },
  code: { type: ['integer', 'null'], description: 'The SIP code of a refused call.' },
  reason: { ...textOrNull, description: 'Why it is refused.' },
};
const notes: Schema = { type: 'array', items: text, description: 'What was considered on the way.' };

const dryRun: Operation = {
  operationId: 'dry_run_routing',
  summary: 'Ask where a call would go now',
  description: 'The decision of the real routing, without a call: nothing is stored and no channel is taken.',
  tags: ['Numbers'],
  security,
  parameters: [
    parameter('from', "The caller's number, or `anonymous`."),
    parameter('to', 'The number that is called.'),
  ],
  responses: json('The decision.', {
    ...decision,
    account_id: { ...textOrNull, description: 'Whose number it is.' },
    trunks: {
      type: 'array',
      description: 'The trunks that would be tried, in order.',
      items: strictObject({
        id: text,
        name: text,
        priority: { type: 'integer' },
        weight: { type: 'integer' },
        destination: text,
      }),
    },
    notes,
  }),
};

const outboundDryRun: Operation = {
  operationId: 'dry_run_outbound_routing',
  summary: 'Ask which carriers would get a call out now',
  description: 'The decision of the real routing, without a call: nothing is stored and no channel is taken.',
  tags: ['Numbers'],
  security,
  parameters: [
    parameter('trunk', 'The id of the outbound trunk.'),
    parameter('from', 'The caller id that the customer sends.'),
    parameter('to', "The number as it is dialled, with the trunk's tech prefix."),
  ],
  responses: json(
    'The decision.',
    {
      ...decision,
      account_id: { ...text, description: 'Whose trunk it is.' },
      trunk: { ...text, description: 'Its name.' },
      src_number: { ...textOrNull, description: 'The caller id that would be shown.' },
      destination: { ...textOrNull, description: 'The number that carriers would get.' },
      rate: {
        description: 'What the customer would pay, without VAT.',
        anyOf: [strictObject({ per_minute: text, country: textOrNull, network: textOrNull }), { type: 'null' }],
      },
      carriers: {
        type: 'array',
        description: 'The carriers that would be tried, in order.',
        items: strictObject({ id: text, name: text, host: text, transport: text, per_minute: textOrNull }),
      },
      notes,
    },
    { named: true },
  ),
};

const search: Operation = {
  operationId: 'search',
  summary: 'Search everything',
  description: 'At most ten records of each type. Operators are found by owners only.',
  tags: ['Search'],
  security,
  parameters: [
    parameter(
      'q',
      'A part of a number, reference, name or e-mail address, or an id or its first 8 digits or more; at least three characters.',
    ),
  ],
  responses: json('What was found.', {
    results: {
      type: 'array',
      items: strictObject({ type: text, id: text, title: text, account_id: textOrNull }),
    },
  }),
};

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

const personalData: Operation = {
  operationId: 'export_personal_data',
  summary: 'Export the personal data of an account',
  description:
    'Everything about the persons behind an account, for a request to see it. The audit log remembers the export.',
  tags: ['Accounts'],
  security,
  parameters: [parameter('account', 'The id of the account.')],
  responses: json(
    'The data, by kind.',
    {
      account_id: text,
      data: { type: 'object', additionalProperties: { type: 'array', items: { type: 'object' } } },
    },
    { named: true },
  ),
};

const priceExport: Operation = {
  operationId: 'export_prices',
  summary: 'Download the prices that hold now as CSV',
  description: 'In the form in which `price_lists` are imported: download, edit, import.',
  tags: ['Money'],
  security,
  parameters: [
    { ...parameter('kind', 'What is priced, as in `price_lists`.'), schema: { type: 'string', enum: priceKindNames } },
    { ...parameter('account', 'Rates of calls of this customer only.'), required: false },
    { ...parameter('carrier', 'Whose rates, for the kind `carrier`.'), required: false },
  ],
  responses: {
    200: { description: 'The file.', content: { 'text/csv': { schema: text } } },
    ...errorResponses({}),
  },
};

/** The CSV takes the filters of the list. */
export function ownRoutes(engine: OpenApiPart): OpenApiPart {
  const list = engine.paths[`${prefix}/audit_entries`]?.get;
  const csv: Operation = {
    operationId: 'export_audit_entries',
    summary: 'Download audit entries as CSV',
    description: 'All that the filters find, newest first.',
    tags: ['Audit'],
    security,
    parameters: (list?.parameters ?? []).filter((each) => 'name' in each && each.name.startsWith('filter')),
    responses: {
      200: { description: 'The file.', content: { 'text/csv': { schema: text } } },
      ...errorResponses({}),
    },
  };
  return {
    tags: [],
    paths: {
      [`${prefix}/routing`]: { get: dryRun },
      [`${prefix}/outbound_routing`]: { get: outboundDryRun },
      [`${prefix}/search`]: { get: search },
      [`${prefix}/audit_entries.csv`]: { get: csv },
      [`${prefix}/statements`]: { get: statement },
      [`${prefix}/statements.csv`]: { get: statementCsv },
      [`${prefix}/statements.pdf`]: { get: statementPdf },
      [`${prefix}/invoices/{id}.pdf`]: { get: invoicePdf },
      [`${prefix}/invoices/{id}.xml`]: { get: invoiceXml },
      [`${prefix}/prices.csv`]: { get: priceExport },
      [`${prefix}/personal_data`]: { get: personalData },
      [`${prefix}/submission_papers`]: { get: submissionPapers },
      [`${prefix}/submission_files`]: { get: submissionFile },
      [`${prefix}/margins`]: { get: margins },
      ...inventoryPaths(prefix),
      ...reportPaths(prefix),
    },
    components: {},
  };
}
