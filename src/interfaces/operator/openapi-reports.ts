/** The overview of an account and the conversion report, for the OpenAPI document of /operator/v1. */
import { strictObject } from '../../engines/openapi/schema.ts';
import type { OpenApiPart, Operation, Schema } from '../../engines/openapi/types.ts';
import { dimensionNames } from './conversion/report.ts';
import { json, parameter, security, text, textOrNull } from './openapi-parts.ts';
import { type accountParts, accountSums } from './overview/account-parts.ts';

const anything: Schema = { type: 'object', additionalProperties: true };
const rowsOf = (items: Schema): Schema => ({ type: 'array', items });
const integer: Schema = { type: 'integer' };
const yesOrNo: Schema = { type: 'boolean' };
const orNull = (type: 'integer' | 'number'): Schema => ({ type: [type, 'null'] });

const created = { created_at: text };
const trunk = { id: text, name: text, capacity_limit: orNull('integer'), ...created };
const ended = {
  call_id: text,
  time_start: text,
  src_number: text,
  duration: integer,
  success: yesOrNo,
  disconnect_code: integer,
};

/** The columns of each list of the overview. */
const accountRows: Record<keyof typeof accountParts, Record<string, Schema>> = {
  voice_in_trunks: { ...trunk, configuration_type: text },
  voice_out_trunks: { ...trunk, status: text },
  orders: { id: text, reference: text, kind: text, description: text, status: text, amount: text, ...created },
  calls_in: { ...ended, did_number: text },
  calls_out: { ...ended, dst_number: text },
  verifications: {
    id: text,
    destination: text,
    delivery_method: text,
    status: text,
    error_code: textOrNull,
    ...created,
  },
  otp_applications: { id: text, name: text, minimum_mode: text, daily_limit: orNull('integer'), ...created },
  api_keys: { id: text, name: text, prefix: text, ...created, expires_at: textOrNull, last_used_at: textOrNull },
  open_submissions: { id: text, kind: text, reference: text, status: text, ...created },
  failing_deliveries: { id: text, kind: text, status: text, attempts: integer, ...created },
  notes: { id: text, text, actor: text, ...created },
  audit: { at: text, actor: text, action: text, subject_type: text, subject_id: text, reason: textOrNull },
};

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
      numbers: {
        ...strictObject({
          ...Object.fromEntries(Object.keys(accountSums).map((name) => [name, integer])),
          next_renewal_at: textOrNull,
        }),
        description: 'Counts.',
      },
      ...Object.fromEntries(Object.entries(accountRows).map(([name, row]) => [name, rowsOf(strictObject(row))])),
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
