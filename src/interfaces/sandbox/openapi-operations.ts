/** How operations of the control interface are described. */
import type { Operation, Response, Schema } from '../../engines/openapi/types.ts';

export const text: Schema = { type: 'string' };
export const time: Schema = { type: 'string', format: 'date-time' };
export const uuid: Schema = { type: 'string', format: 'uuid' };
export const code: Schema = { type: ['integer', 'null'] };
export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const list = (items: Schema): Schema => ({ type: 'array', items });
const json = (schema: Schema) => ({ 'application/json': { schema } });
export const answer = (description: string, schema: Schema): Response => ({ description, content: json(schema) });
export const error = (description: string): Response => answer(description, ref('control_error'));

export const busy = error(
  'The database is busy or away: `Retry-After` says when to try again, `outcome` what is known of the request.',
);

/** Builds a reading operation; `act` below builds one with a request body. */
/** Of a request without a body. */
export const unreadable = error('A parameter comes twice, or holds a NUL character.');
export const read = (
  operationId: string,
  summary: string,
  shown: Schema,
  more: Partial<Operation> = {},
): Operation => ({
  operationId,
  summary,
  tags: ['Sandbox'],
  security: [{ api_key: [] }],
  responses: {
    200: answer('As it is.', shown),
    400: unreadable,
    401: error('No key, or one that is not valid.'),
    503: busy,
  },
  ...more,
});
export const act = (
  operationId: string,
  summary: string,
  body: Schema,
  success: Record<string, Response>,
  more: Partial<Operation> = {},
): Operation => ({
  ...read(operationId, summary, {}),
  requestBody: { required: (body.required ?? []).length > 0, content: json(body) },
  responses: {
    ...success,
    400: error('The body is not JSON.'),
    401: error('No key, or one that is not valid.'),
    415: error('The body is not application/json.'),
    422: error('What was sent does not make sense.'),
    ...(success[503] ? {} : { 503: busy }),
  },
  ...more,
});

/** The operation that ends something. */
export const end = (operationId: string, summary: string, more: Partial<Operation>): Operation => ({
  ...read(operationId, summary, {}),
  ...more,
  responses: {
    204: { description: 'Gone.' },
    401: error('No key, or one that is not valid.'),
    404: error('There is nothing of this name.'),
    503: busy,
    ...more.responses,
  },
});

export const waitParameter = {
  name: 'wait',
  in: 'query' as const,
  schema: { type: 'number', minimum: 0 } satisfies Schema,
  description: 'Seconds to hold on until one arrives.',
};
