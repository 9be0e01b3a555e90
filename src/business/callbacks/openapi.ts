/**
 * Callbacks in the API reference: what the customer's server is sent, by GET, by POST and as JSON, with both
 * signatures.
 */
import type { Parameter, PathItem, Response, Schema } from '../../engines/openapi/types.ts';
import { callbackRequest, type Payload } from './callback-request.ts';

interface DescribedCallback {
  /** The type of its record. */
  type: string;
  tag: string;
  summary: string;
  /** When it is sent. */
  when: string;
  /** Its members beside `type`. */
  members: Readonly<Record<string, Schema>>;
  example: Payload;
  /** Always a JSON list, whatever the method. */
  asList?: boolean;
}

type Callbacks = Readonly<Record<string, Readonly<Record<string, PathItem>>>>;

const uuid = (description: string): Schema => ({ type: 'string', format: 'uuid', description });
const oneOf = (description: string, ...values: string[]): Schema => ({ type: 'string', enum: values, description });

const described: readonly DescribedCallback[] = [
  {
    type: 'orders',
    tag: 'Orders',
    summary: 'An order is no longer pending',
    when: 'Sent once, when the status of the order leaves `pending`.',
    members: { id: uuid('The order.'), status: oneOf('Its new status.', 'completed', 'canceled') },
    example: { id: '1dd7a68b-e235-402b-8912-fe73ee14243a', type: 'orders', status: 'completed' },
  },
  {
    type: 'exports',
    tag: 'Account',
    summary: 'The file of an export is ready',
    when: 'Sent once, when the file can be downloaded.',
    members: {
      id: uuid('The export.'),
      status: { const: 'completed', description: 'Always `completed`.' },
      url: { type: 'string', format: 'uri', description: 'Where the file is; it needs an API key.' },
    },
    example: {
      id: 'da15f006-5da4-45ca-b0df-735baeadf423',
      type: 'exports',
      status: 'completed',
      url: 'https://api.example.com/v3/exports/da15f006-5da4-45ca-b0df-735baeadf423.csv.gz',
    },
  },
  {
    type: 'address_verifications',
    tag: 'Address verifications',
    summary: 'An address verification was reviewed',
    when: 'Sent once, when it was approved or rejected.',
    members: {
      id: uuid('The address verification.'),
      status: oneOf('The decision.', 'approved', 'rejected'),
      reject_reason: { type: 'string', description: 'The reasons, joined with `, `; empty if it was approved.' },
      reject_comment: { type: 'string', description: 'What the reviewer wrote; empty without a comment.' },
    },
    example: {
      id: '7ae7c48f-d48a-499f-9dc1-c9217014b457',
      type: 'address_verifications',
      status: 'rejected',
      reject_reason: 'Address was not provided',
      reject_comment: 'The street is missing.',
    },
  },
  {
    type: 'emergency_verifications',
    tag: 'Emergency',
    summary: 'An emergency verification was reviewed',
    when: 'Sent once, when it was approved or rejected.',
    members: {
      id: uuid('The emergency verification.'),
      status: oneOf('The decision.', 'approved', 'rejected'),
      reject_reasons: { type: 'string', description: 'The reasons, joined with `; `; empty if it was approved.' },
      reject_comment: { type: 'string', description: 'What the reviewer wrote; empty without a comment.' },
      emergency_calling_service_id: uuid('The emergency calling service.'),
    },
    example: {
      id: '5a4b5c6d-0199-4a3c-9c0d-1e2f3a4b5c6d',
      type: 'emergency_verifications',
      status: 'approved',
      reject_reasons: '',
      reject_comment: '',
      emergency_calling_service_id: '0199a3c4-5e6f-4a8b-9c0d-1e2f3a4b5c6d',
    },
  },
  {
    type: 'voice_out_trunks',
    tag: 'Outbound trunks',
    summary: 'An outbound trunk was blocked or unblocked',
    when: 'Sent for every change, by hand or by the threshold, in order. What a failing receiver has not taken comes together with the next change.',
    asList: true,
    members: {
      id: uuid('The trunk.'),
      status: oneOf('Its new status.', 'active', 'blocked'),
      threshold_reached: { type: 'boolean', description: 'Whether the limit of 24 hours is reached.' },
      created_at: { type: 'string', format: 'date-time', description: 'When it changed.' },
    },
    example: {
      id: 'f36d1d17-bd16-42b9-af42-0cfe166bf3ec',
      type: 'voice_out_trunks',
      status: 'blocked',
      threshold_reached: true,
      created_at: '2017-06-25T08:21:41.795Z',
    },
  },
];

/** The callbacks of operations that take a `callback_url`, by the type of their record. */
export function describedCallbacks(headerWord: string): Readonly<Record<string, Callbacks>> {
  return Object.fromEntries(described.map((one) => [one.type, { [callbackName(one)]: pathsOf(one, headerWord) }]));
}

const callbackName = ({ type }: DescribedCallback): string => `${type}_callback`;

/** The record's own `callback_url` says where to. */
const target = '{$request.body#/data/attributes/callback_url}';

function pathsOf(one: DescribedCallback, headerWord: string): Record<string, PathItem> {
  const about = {
    summary: one.summary,
    tags: [one.tag],
    security: [],
    responses: answers,
  };
  const description = `${one.when} Verify the signature before you act; the guide *Callbacks* has it step by step.`;
  const schema = schemaOf(one);
  const { type, example } = one;
  const sent = (method: 'get' | 'post' | 'json') => exampleHeaders(one, headerWord, method);
  const post = {
    ...about,
    operationId: `${type}_callback_post`,
    description,
    parameters: headersOf(headerWord, sent(one.asList ? 'json' : 'post')),
    requestBody: {
      required: true,
      content: one.asList
        ? {
            'application/json': {
              schema: { type: 'array', minItems: 1, maxItems: 100, items: schema } as const,
              examples: { [type]: { summary: one.summary, value: [example] } },
            },
          }
        : {
            'application/x-www-form-urlencoded': {
              schema,
              examples: { [type]: { summary: `${one.summary}, with \`callback_method\` \`post\``, value: example } },
            },
          },
    },
  };
  if (one.asList) return { [target]: { post } };
  const inQuery = Object.entries(schema.properties ?? {}).map(
    ([name, member]): Parameter => ({
      ...{ name, in: 'query', required: true, schema: member, example: example[name] },
      ...(member.description === undefined ? {} : { description: member.description }),
    }),
  );
  const get = {
    ...about,
    operationId: `${type}_callback_get`,
    description: `${description} With \`callback_method\` \`get\` the payload is appended to the URL's own query, sorted by name.`,
    parameters: [...inQuery, ...headersOf(headerWord, sent('get'))],
  };
  return { [target]: { get, post } };
}

function schemaOf({ type, members }: DescribedCallback): Schema {
  const { id = {}, ...rest } = members;
  const properties = { id, type: { const: type, description: `Always \`${type}\`.` }, ...rest };
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}

const exampleSecret = 'topsecret';
const exampleUrl = 'https://hooks.example.net/callbacks';

/** A real signature, so that the examples can be checked with the secret that their description names. */
function exampleHeaders({ example, asList }: DescribedCallback, headerWord: string, method: 'get' | 'post' | 'json') {
  const payload = asList ? [example] : example;
  const delivery = { id: '8c7a1d0e-3b52-4f0c-9d1a-6f2b7c5e4d30', url: exampleUrl, method, payload };
  return callbackRequest(delivery, exampleSecret, headerWord, new Date('2026-06-15T12:00:00Z')).headers;
}

function headersOf(headerWord: string, example: Readonly<Record<string, string>>): Parameter[] {
  const signature = `X-${headerWord}-Signature`;
  const checked = `The example is for the secret \`${exampleSecret}\` and the URL \`${exampleUrl}\`.`;
  const header = (name: string, schema: Schema, description: string): Parameter => ({
    ...{ name, in: 'header', required: true, schema, description, example: example[name.toLowerCase()] },
  });
  return [
    header(
      signature,
      { type: 'string', pattern: '^[0-9a-f]{40}$' },
      `HMAC-SHA1, in lower-case hex, of the URL with its port written out and of the members sorted by name; the key is the account's callback secret, or the API key that created the record. ${checked}`,
    ),
    header(
      'webhook-id',
      { type: 'string', format: 'uuid' },
      'The callback (Standard Webhooks): the same, with the same body, at every attempt.',
    ),
    header(
      'webhook-timestamp',
      { type: 'string', pattern: '^\\d+$' },
      'When this attempt was signed, in Unix seconds.',
    ),
    header(
      'webhook-signature',
      { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=$' },
      `\`v1,\` and the Base64 of HMAC-SHA256 over \`<id>.<timestamp>.<body>\` with the same key. ${checked}`,
    ),
  ];
}

const answers: Readonly<Record<string, Response>> = {
  '200': { description: 'Any status of 200 to 298 within 60 seconds: taken.' },
  default: {
    description:
      'Anything else, or nothing: it comes again after 1, 10 and 30 minutes, then 1, 3, 6, 12, 24 and 48 hours; after ten attempts it is given up.',
  },
};
