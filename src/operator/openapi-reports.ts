/** The overview of an account and the conversion report, for the OpenAPI document of /operator/v1. */
import { strictObject } from '../openapi/schema.ts';
import type { OpenApiPart, Operation, Schema } from '../openapi/types.ts';
import { dimensionNames } from './conversion/report.ts';
import { json, parameter, security, text, textOrNull } from './openapi-parts.ts';
import { accountParts } from './overview/account-parts.ts';

const anything: Schema = { type: 'object', additionalProperties: true };
const rowsOf = (items: Schema): Schema => ({ type: 'array', items });
const integer: Schema = { type: 'integer' };
const orNull = (type: 'integer' | 'number'): Schema => ({ type: [type, 'null'] });

const overview: Operation = {
  operationId: 'read_account_overview',
  summary: 'Read everything about an account on one page',
  description:
    'Settings, balance, counts, and the newest records of every kind. Numbers and trunks are counted to 10,000.',
  tags: ['Accounts'],
  security,
  parameters: [parameter('account', 'The id of the account.')],
  responses: json(
    'The account.',
    {
      account: anything,
      numbers: { ...anything, description: 'Counts.' },
      ...Object.fromEntries(Object.keys(accountParts).map((name) => [name, rowsOf(anything)])),
    },
    { named: true },
  ),
};

const conversions: Operation = {
  operationId: 'report_conversions',
  summary: 'Report how many codes came back',
  description:
    'By country, prefix, provider, carrier or account; the most starts first, at most 1,000 rows. A code that was replaced by a newer one, or can still come back, does not count for the conversion.',
  tags: ['Verification'],
  security,
  parameters: [
    { ...parameter('by', 'What a row stands for.'), schema: { type: 'string', enum: [...dimensionNames] } },
    {
      ...parameter('since', 'From this time on; the last 24 hours if left out. Counted by ten minutes.'),
      required: false,
    },
    { ...parameter('until', 'Up to this time; now if left out.'), required: false },
    { ...parameter('digits', 'How many digits make a prefix, 1 to 6 (6).'), required: false },
  ],
  responses: json('The report.', {
    by: text,
    since: text,
    until: text,
    rows: rowsOf(
      strictObject({
        ...{ key: textOrNull, name: textOrNull, starts: integer, sent: integer, verified: integer, failed: integer },
        ...{ superseded: integer, open: integer, conversion_percent: orNull('number'), sending_ms: orNull('integer') },
      }),
    ),
  }),
};

export const reportPaths = (prefix: string): OpenApiPart['paths'] => ({
  [`${prefix}/account_overview`]: { get: overview },
  [`${prefix}/conversions`]: { get: conversions },
});
