/** The routes of /operator/v1 that are no JSON:API documents, for its OpenAPI document. */
import { errorResponses } from '../../engines/jsonapi/openapi/schemas.ts';
import { strictObject } from '../../engines/openapi/schema.ts';
import type { OpenApiPart, Operation, Schema } from '../../engines/openapi/types.ts';
import { inventoryPaths } from './openapi-inventory.ts';
import { moneyPaths } from './openapi-money.ts';
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
      [`${prefix}/prices.csv`]: { get: priceExport },
      [`${prefix}/personal_data`]: { get: personalData },
      [`${prefix}/submission_papers`]: { get: submissionPapers },
      [`${prefix}/submission_files`]: { get: submissionFile },
      ...inventoryPaths(prefix),
      ...moneyPaths(prefix),
      ...reportPaths(prefix),
    },
    components: {},
  };
}
