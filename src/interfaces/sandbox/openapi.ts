/**
 * The OpenAPI description of the sandbox's control interface. Its request bodies are the schemas that the server
 * checks.
 */

import { strictObject } from '../../engines/openapi/schema.ts';
import type { OpenApiPart, Operation, Schema } from '../../engines/openapi/types.ts';
import { hangUpBody, newCallBody } from './control-calls.ts';
import { decisionBody } from './control-counterparts.ts';
import { faultNames } from './control-faults.ts';
import { advanceBody, orderDelayBody } from './control-time.ts';
import { faultsPart } from './openapi-faults.ts';
import { happeningsPaths, listCalls } from './openapi-happenings.ts';
import {
  act,
  answer,
  busy,
  code,
  error,
  list,
  read,
  ref,
  text,
  time,
  unreadable,
  uuid,
  waitParameter,
} from './openapi-operations.ts';
import { seedPart } from './openapi-seed.ts';
import { worldsPart } from './openapi-worlds.ts';

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
    description:
      'By seconds, to a moment, or until nothing more falls due. Responds once everything that fell due on the way has run. With `factor` it runs faster from now on, and jobs run as their time comes. The clock can be at most 100 years ahead.',
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
      waitParameter,
    ],
    responses: {
      200: answer('The messages.', strictObject({ messages: list(ref('control_message')) })),
      400: unreadable,
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
    400: unreadable,
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

export const sandboxPart: OpenApiPart = {
  tags: [
    { name: 'Sandbox', description: 'Moves the time and plays the outside world. Plain JSON, on the sandbox only.' },
  ],
  paths: {
    '/sandbox/v1/clock': {
      get: read('read_clock', 'Get the time', ref('control_clock')),
      post: advance,
    },
    ...worldsPart.paths,
    ...faultsPart.paths,
    '/sandbox/v1/messages': { get: messages },
    '/sandbox/v1/messages/{id}/audio': { get: audio },
    '/sandbox/v1/scenarios': {
      get: read(
        'list_scenarios',
        'List values that behave in a fixed way, and the names of faults',
        strictObject({
          scenarios: list(ref('control_scenario')),
          faults: list(strictObject({ name: { ...text, enum: faultNames }, description: text })),
          errors: strictObject({ v3: list(text), api_v1: list(text) }),
        }),
      ),
    },
    '/sandbox/v1/orders': {
      get: read('read_order_delay', 'Get how long orders stay pending', orderDelayBody),
      post: delayOrders,
    },
    '/sandbox/v1/calls': { get: listCalls, post: call },
    ...happeningsPaths,
    '/sandbox/v1/calls/{id}/hangup': { post: hangup },
    '/sandbox/v1/address_verifications/{id}/decision': {
      post: decide('address_verifications', 'an address verification'),
    },
    '/sandbox/v1/emergency_verifications/{id}/decision': {
      post: decide('emergency_verifications', 'an emergency verification'),
    },
    // Last: the page of the reference offers the account's first number, and a seeded one takes no calls.
    ...seedPart.paths,
  },
  components: {
    schemas: {
      control_clock: strictObject({
        now: time,
        offset_seconds: { type: 'integer', minimum: 0 },
        factor: { type: 'integer', minimum: 1, description: 'How many seconds of it pass in a second.' },
      }),
      control_message: strictObject(
        {
          ...messageMembers,
          audio_url: { type: 'string', format: 'uri', description: 'Of a call: where it can be listened to.' },
        },
        Object.keys(messageMembers),
      ),
      control_scenario: strictObject(
        { scenario: text, description: text, destinations: list(text), callers: list(text), references: list(text) },
        ['scenario', 'description'],
      ),
      control_call: strictObject({
        id: text,
        status: text,
        disconnect_code: code,
        attempts: list(strictObject({ voice_in_trunk_id: { type: ['string', 'null'] }, code })),
      }),
      ...worldsPart.schemas,
      ...faultsPart.schemas,
      ...seedPart.schemas,
      control_error: strictObject({ error: text, outcome: { type: 'string', enum: ['nothing_changed', 'unknown'] } }, [
        'error',
      ]),
    },
  },
};
