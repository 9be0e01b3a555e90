/** Holds what a receiver was sent against the OpenAPI document: the callbacks of operations, and the webhooks. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import type { Operation, Schema } from '../../src/engines/openapi/types.ts';
import { openApiDocument } from '../../src/interfaces/server/docs/document.ts';
import type { Receiver } from './receiver.ts';

type Received = Pick<Receiver['received'][number], 'method' | 'url' | 'headers' | 'body'>;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv, ['uuid', 'date-time', 'uri']);

/** Every request must be one that the document describes: its method, its media type, its headers, and every member. */
export function expectDescribed(received: readonly Received[]): void {
  expect(received.length).toBeGreaterThan(0);
  for (const request of received) expect(problemsOf(request), `${request.method} ${request.body}`).toEqual([]);
}

function problemsOf(request: Received): string[] {
  const { members, list } = payloadOf(request);
  const operation = operationFor(String(list[0]?.type), request.method.toLowerCase());
  if (operation === undefined) return [`nothing describes ${request.method} of ${list[0]?.type}`];
  const parameters = (operation.parameters ?? []).filter((each) => 'in' in each);
  const headers = parameters.filter(({ in: place }) => place === 'header');
  const query = parameters.filter(({ in: place }) => place === 'query');
  const content = operation.requestBody?.content ?? {};
  const [mediaType, body] = Object.entries(content)[0] ?? [undefined, { schema: objectOf(query) }];
  const sentType = request.headers['content-type'];
  return [
    ...(sentType === mediaType ? [] : [`${sentType} instead of ${mediaType}`]),
    ...problems(body.schema, members),
    ...headers.flatMap(({ name, schema }) =>
      problems(schema, request.headers[name.toLowerCase()]).map((text) => `${name}: ${text}`),
    ),
  ];
}

function operationFor(type: string, method: string): Operation | undefined {
  const { paths, webhooks = {} } = openApiDocument({ name: 'sandbox' }, 'http://127.0.0.1');
  const create = paths[`/v3/${type}`]?.post;
  const items = [webhooks[type], ...Object.values(create?.callbacks?.[`${type}_callback`] ?? {})];
  return items.flatMap((item) => item?.[method === 'get' ? 'get' : 'post'] ?? [])[0];
}

function payloadOf({ method, url, body, headers }: Received) {
  if (method !== 'GET' && String(headers['content-type']).includes('json')) {
    const members = JSON.parse(body);
    return { members, list: Array.isArray(members) ? members : [members] };
  }
  const members = Object.fromEntries(method === 'GET' ? new URL(url).searchParams : new URLSearchParams(body));
  return { members, list: [members] };
}

/** A receiver's own query may have further members. */
const objectOf = (parameters: readonly { name: string; schema: Schema }[]): Schema => ({
  type: 'object',
  required: parameters.map(({ name }) => name),
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
});

function problems(schema: Schema, value: unknown): string[] {
  const validate = ajv.compile(schema);
  return validate(value)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
