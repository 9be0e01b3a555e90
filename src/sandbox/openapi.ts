/** The OpenAPI description of the sandbox's control interface. Its request bodies are the schemas that the server checks. */
import { strictObject } from '../openapi/schema.ts';
import type { OpenApiPart, Operation, Response, Schema } from '../openapi/types.ts';
import { hangUpBody, newCallBody } from './control-calls.ts';
import { decisionBody } from './control-counterparts.ts';
import { advanceBody, orderDelayBody } from './control-time.ts';
import { emptyBody, newSnapshotBody, newWorldBody } from './control-worlds.ts';

const text: Schema = { type: 'string' };
const time: Schema = { type: 'string', format: 'date-time' };
const uuid: Schema = { type: 'string', format: 'uuid' };
const code: Schema = { type: ['integer', 'null'] };
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const list = (items: Schema): Schema => ({ type: 'array', items });
const json = (schema: Schema) => ({ 'application/json': { schema } });
const answer = (description: string, schema: Schema): Response => ({ description, content: json(schema) });
const error = (description: string): Response => answer(description, ref('control_error'));

const busy = error('The database is busy or away; `Retry-After` says when to try again.');

/** Builds a reading operation; `act` below builds one with a request body. */
const read = (operationId: string, summary: string, shown: Schema, more: Partial<Operation> = {}): Operation => ({
  operationId,
  summary,
  tags: ['Sandbox'],
  security: [{ api_key: [] }],
  responses: { 200: answer('As it is.', shown), 401: error('No key, or one that is not valid.'), 503: busy },
  ...more,
});
const act = (
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

const advance = act(
  'advance_clock',
  'Move the clock forward',
  advanceBody,
  {
    200: answer('The clock.', ref('control_clock')),
    403: error('The operator does not let this account move the clock.'),
    503: error('Something that fell due did not end in time.'),
  },
  {
    description: 'Responds once everything that fell due on the way has run. The clock can be at most 100 years ahead.',
  },
);

const messages = read(
  'list_messages',
  'List messages that would have been sent',
  strictObject({ messages: list(ref('control_message')) }),
  {
    description: 'Newest first.',
    parameters: [
      { name: 'destination', in: 'query', schema: text, description: 'Only what went to this number.' },
      {
        name: 'wait',
        in: 'query',
        schema: { type: 'number', minimum: 0 },
        description: 'Seconds to hold on until one arrives.',
      },
    ],
    responses: {
      200: answer('The messages.', strictObject({ messages: list(ref('control_message')) })),
      401: error('No key, or one that is not valid.'),
      422: error('What was sent does not make sense.'),
      503: busy,
    },
  },
);

const audio: Operation = {
  ...read('read_message_audio', 'Listen to a call', {}),
  description: 'What the call would say: the code twice, digit by digit. `audio_url` of a message leads here.',
  parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
  responses: {
    200: {
      description: 'A WAV file: 8 kHz, 16 bits, mono.',
      content: { 'audio/wav': { schema: { type: 'string', format: 'binary' } } },
    },
    401: error('No key, or one that is not valid.'),
    404: error('There is no such message, or it is a text message.'),
    503: busy,
  },
};

const call = act(
  'place_call',
  'Place a simulated inbound call',
  newCallBody,
  { 201: answer('The call.', ref('control_call')) },
  {
    description:
      'It goes through the real routing, capacity, events and CDRs, and runs at once: its times follow the script.',
  },
);
const hangup = act(
  'hang_up',
  'End a call that stays up',
  hangUpBody,
  { 200: answer('The call.', ref('control_call')), 404: error('There is no such call.') },
  { parameters: [{ name: 'id', in: 'path', required: true, schema: text }] },
);

const delayOrders = act(
  'delay_orders',
  'Set how long orders stay pending',
  orderDelayBody,
  { 200: answer('The delay.', orderDelayBody) },
  {
    description:
      "Counts for the account's orders of numbers from now on, by the environment's clock; 0 completes them at once.",
  },
);

/** The operation that approves or rejects a submission. */
const decide = (type: string, noun: string): Operation =>
  act(
    `decide_${type}`,
    `Approve or reject ${noun}`,
    decisionBody,
    {
      200: answer('Decided.', strictObject({ id: uuid, type: { type: 'string', const: type }, status: text })),
      404: error('There is no such submission.'),
      409: error('It has been decided already, or the balance does not cover what follows.'),
    },
    { parameters: [{ name: 'id', in: 'path', required: true, schema: uuid }] },
  );

const worldId = [{ name: 'id', in: 'path' as const, required: true, schema: text }];
const noRoom = error('The limits of worlds are reached; the text says which.');
const makeWorld = act(
  'make_world',
  'Make a world',
  newWorldBody,
  {
    201: answer('The world, with keys that nothing else shows again.', ref('control_new_world')),
    429: noRoom,
    503: error('The database server cannot make a world now; the text says why.'),
  },
  {
    description:
      'A whole sandbox of its own: accounts, stock, clock, inbox and jobs. It is served under `url`, and its keys work at the root address too. It ends by `DELETE`, or when nobody has used it for an hour.',
  },
);
const resetWorld = act(
  'reset_world',
  'Reset a world',
  emptyBody,
  {
    200: answer('The world, as it began, with the same keys.', ref('control_world')),
    404: error('There is no such world.'),
  },
  { parameters: worldId },
);
const saveSnapshot = act(
  'save_snapshot',
  'Save a snapshot',
  newSnapshotBody,
  {
    201: answer('Saved.', strictObject({ name: text })),
    404: error('There is no such world.'),
    409: error('There is already a snapshot of this name.'),
    429: noRoom,
  },
  { description: 'Names the state of a world, or of this sandbox, so that worlds can be made from it.' },
);
/** The operation that ends something. */
const end = (operationId: string, summary: string, more: Partial<Operation>): Operation => ({
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

/** Members that every message has. */
const messageMembers: Record<string, Schema> = {
  id: text,
  verification_id: uuid,
  destination: text,
  delivery_method: { type: 'string', enum: ['sms', 'callout'] },
  language: text,
  text,
  code: text,
  created_at: time,
};

const listedWorld: Record<string, Schema> = {
  id: text,
  url: { type: 'string', format: 'uri' },
  from: text,
  name: { type: ['string', 'null'] },
  created_at: time,
};

export const sandboxPart: OpenApiPart = {
  tags: [
    { name: 'Sandbox', description: 'Moves the time and plays the outside world. Plain JSON, on the sandbox only.' },
  ],
  paths: {
    '/sandbox/v1/clock': {
      get: read('read_clock', 'Get the time', ref('control_clock')),
      post: advance,
    },
    '/sandbox/v1/worlds': {
      get: read('list_worlds', 'List your worlds', strictObject({ worlds: list(ref('control_listed_world')) })),
      post: makeWorld,
    },
    '/sandbox/v1/worlds/{id}': {
      get: read('read_world', 'Get a world', ref('control_world'), { parameters: worldId }),
      delete: end('end_world', 'End a world', { parameters: worldId }),
    },
    '/sandbox/v1/worlds/{id}/reset': { post: resetWorld },
    '/sandbox/v1/snapshots': {
      get: read(
        'list_snapshots',
        'List your snapshots',
        strictObject({ snapshots: list(strictObject({ name: text, created_at: time })) }),
      ),
      post: saveSnapshot,
    },
    '/sandbox/v1/snapshots/{name}': {
      delete: end('drop_snapshot', 'Drop a snapshot', {
        parameters: [{ name: 'name', in: 'path', required: true, schema: text }],
        responses: { 409: error('A world was made from it.') },
      }),
    },
    '/sandbox/v1/messages': { get: messages },
    '/sandbox/v1/messages/{id}/audio': { get: audio },
    '/sandbox/v1/scenarios': {
      get: read(
        'list_scenarios',
        'List numbers that behave in a fixed way',
        strictObject({ scenarios: list(ref('control_scenario')) }),
      ),
    },
    '/sandbox/v1/orders': {
      get: read('read_order_delay', 'Get how long orders stay pending', orderDelayBody),
      post: delayOrders,
    },
    '/sandbox/v1/calls': { post: call },
    '/sandbox/v1/calls/{id}/hangup': { post: hangup },
    '/sandbox/v1/address_verifications/{id}/decision': {
      post: decide('address_verifications', 'an address verification'),
    },
    '/sandbox/v1/emergency_verifications/{id}/decision': {
      post: decide('emergency_verifications', 'an emergency verification'),
    },
  },
  components: {
    schemas: {
      control_clock: strictObject({ now: time, offset_seconds: { type: 'integer', minimum: 0 } }),
      control_message: strictObject(
        {
          ...messageMembers,
          audio_url: { type: 'string', format: 'uri', description: 'Of a call: where it can be listened to.' },
        },
        Object.keys(messageMembers),
      ),
      control_scenario: strictObject({ scenario: text, description: text, destinations: list(text) }),
      control_call: strictObject({
        id: text,
        status: text,
        disconnect_code: code,
        attempts: list(strictObject({ voice_in_trunk_id: { type: ['string', 'null'] }, code })),
      }),
      control_listed_world: strictObject(listedWorld),
      control_world: strictObject({ ...listedWorld, now: time }),
      control_new_world: strictObject({
        id: text,
        url: { type: 'string', format: 'uri' },
        api_key: text,
        otp_application: strictObject({ key: uuid, secret: text }),
        now: time,
      }),
      control_error: strictObject({ error: text }),
    },
  },
};
