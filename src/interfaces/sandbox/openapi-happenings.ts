/** The description of what happened. */
import { strictObject } from '../../engines/openapi/schema.ts';
import type { OpenApiPart, Operation, Schema } from '../../engines/openapi/types.ts';
import { answer, busy, error, list, read, text, time, unreadable, waitParameter } from './openapi-operations.ts';

const integer: Schema = { type: 'integer' };
const orNull = (type: string): Schema => ({ type: [type, 'null'] });
const timeOrNull: Schema = { type: ['string', 'null'], format: 'date-time' };

/** An operation that may wait until there is something to show. */
const shows = (operationId: string, summary: string, shown: Schema, description: string): Operation =>
  read(operationId, summary, shown, {
    description,
    parameters: [
      { name: 'since', in: 'query', schema: time, description: 'Only what came at this time or later.' },
      waitParameter,
    ],
    responses: {
      200: answer('As it is.', shown),
      400: unreadable,
      401: error('No key, or one that is not valid.'),
      422: error('What was sent does not make sense.'),
      503: busy,
    },
  });

const requestSchema = strictObject({
  id: text,
  at: time,
  method: text,
  path: text,
  status: integer,
  duration_ms: integer,
  request: {},
  response: {},
});

const deliverySchema = strictObject({
  id: text,
  kind: text,
  url: orNull('string'),
  status: text,
  attempts: integer,
  payload: {},
  last_status: orNull('integer'),
  last_error: orNull('string'),
  next_attempt_at: timeOrNull,
  created_at: time,
});

const callSchema = strictObject({
  id: text,
  status: text,
  did_number: orNull('string'),
  src_number: orNull('string'),
  disconnect_code: orNull('integer'),
  duration: orNull('integer'),
  started_at: time,
  ended_at: timeOrNull,
});

const timelineSchema = strictObject({
  now: time,
  happened: list(strictObject({ at: time, kind: text, id: text, text })),
  next: list(strictObject({ at: time, task: text, count: integer })),
});

export const listCalls = shows(
  'list_calls',
  'List inbound calls',
  strictObject({ calls: list(callSchema) }),
  'Those that are up, then those that have ended, newest first.',
);

const listen: Operation = read('listen', 'Hear what is sent', text, {
  description:
    'A stream of server-sent events: `ready`, then one `sent` for each callback and each request with call events, before it is sent for the first time. Its data is JSON with `at`, `kind`, `text` and `request` (`method`, `url`, `headers`, `body` in Base64): the same bytes for the address `forward`, with signatures of the secret; the values of your own headers and passwords of call events are replaced by it. A stream ends after ten minutes: open another. `trunkline listen` does all of this.',
  parameters: [
    {
      ...{ name: 'forward', in: 'query', schema: { type: 'string', format: 'uri' } },
      description: 'Where the requests are to go; left out, they are as they are sent.',
    },
    {
      ...{ name: 'listen-secret', in: 'header', required: true, schema: { ...text, minLength: 8, maxLength: 200 } },
      ...{ description: 'What the requests are signed with.', example: 'signs-what-is-forwarded' },
    },
  ],
  responses: {
    200: { description: 'The stream.', content: { 'text/event-stream': { schema: text } } },
    400: unreadable,
    401: error('No key, or one that is not valid.'),
    422: error('What was sent does not make sense.'),
    429: error('Too many streams of this account are open.'),
    503: busy,
  },
});

export const happeningsPaths: OpenApiPart['paths'] = {
  '/sandbox/v1/listen': { get: listen },
  '/sandbox/v1/requests': {
    get: shows(
      'list_requests',
      'List requests and their responses',
      strictObject({ requests: list(requestSchema) }),
      'Your requests to `/v3` and `/api/v1`, newest first. Secrets are blanked; bodies over 16 KiB are left out.',
    ),
  },
  '/sandbox/v1/deliveries': {
    get: shows(
      'list_sandbox_deliveries',
      'List callbacks and call events',
      strictObject({ deliveries: list(deliverySchema) }),
      'Newest first, with the outcome of the last attempt.',
    ),
  },
  '/sandbox/v1/timeline': {
    get: shows(
      'read_timeline',
      'See what happened, and what will',
      timelineSchema,
      'All of it in the order of the clock: requests, orders, callbacks, events, messages, calls, reviews; and the work that waits for its time.',
    ),
  },
};
