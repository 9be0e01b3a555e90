/** The routes with plain JSON that show and do things for the account, for the OpenAPI document of `/panel/v1`. */
import { strictObject } from '../../engines/openapi/schema.ts';
import type { OpenApiPart, Operation, Schema } from '../../engines/openapi/types.ts';
import { shape } from '../../engines/typed-schema.ts';
import { replayBody, signatureCheckBody, testCallbackBody } from './callback-actions.ts';
import {
  describe,
  strict,
  text,
  textOrNull,
  time,
  timeOrNull,
  uuid,
  whole,
  wholeOrNull,
  yesOrNo,
} from './openapi-parts.ts';
import { phoneBody } from './phone-credentials.ts';
import { numberStates } from './registration-checks.ts';
import { revealed, secretBody } from './secrets.ts';

const decision = strict({
  decision: shape.word(['routed', 'refused']),
  code: wholeOrNull,
  reason: textOrNull,
  trunks: shape.array(strict({ id: uuid, name: text, priority: whole, weight: whole, destination: text })),
  notes: shape.array(text),
});

const registrationCheck = strict({
  numbers: shape.array(
    strict({
      ...{
        id: uuid,
        number: textOrNull,
        state: shape.word(numberStates),
        requirement_id: shape.either(uuid, shape.null()),
      },
      pending_verification_id: shape.either(uuid, shape.null()),
    }),
  ),
  problems: shape.array(
    strict({ part: shape.word(['identity', 'address', 'documents', 'service_description']), text }),
  ),
});

const day = strict({
  ...{ day: shape.string({ format: 'date' }), answered: whole, failed: whole, seconds: whole, outbound: whole },
  ...{ verifications: whole, verified: whole },
});

const notification = strict({
  key: shape.string({ description: 'Another one when there is something new about the same thing.' }),
  ...{ kind: text, at: timeOrNull, about: textOrNull, id: shape.either(uuid, shape.null()), count: whole },
});

const amounts = { amount: text, net: text, vat: text };
const statement = strict({
  ...{ month: text, currency: text, opening: text, closing: text },
  sums: shape.array(strict({ cause: text, count: whole, ...amounts })),
  lines: shape.array(
    strict({
      ...{ movement: text, at: time, cause: text, reference: text, order: textOrNull, vat_rate: textOrNull },
      ...amounts,
    }),
  ),
});

const replayed = strict({ replayed: whole, more: yesOrNo });

const check = strict({
  callback_id: uuid,
  lines: shape.array(strict({ what: text, sent: textOrNull, received: textOrNull, same: yesOrNo })),
  first_difference: textOrNull,
  signature_matches: shape.either(yesOrNo, shape.null()),
  secret_matches: shape.either(yesOrNo, shape.null()),
  signed_with: shape.word(['api_key', 'callback_secret']),
});

const secretNames = Object.values(revealed).flatMap(({ members }): readonly string[] => members);
const secrets: Schema = strictObject(Object.fromEntries(secretNames.map((name) => [name, text])), []);

/** A response that is no JSON. */
const file = (operationId: string, summary: string, type: string, named = false, writes = false): Operation => {
  const { responses, ...operation } = describe(operationId, summary, { answers: {}, named, ...(writes && { writes }) });
  const content = { [type]: { schema: text } };
  return { ...operation, responses: { 200: { description: 'Done.', content }, ...responses } };
};

export const ownPaths: OpenApiPart['paths'] = {
  '/search': {
    get: describe('search', 'Find records by a part of them', {
      query: ['q', 'type', 'country'],
      answers: { 200: strict({ results: shape.array(strict({ type: text, id: uuid, label: text, about: text })) }) },
    }),
  },
  '/routing': {
    get: describe('test_route', 'Get where a call would go now', {
      query: ['from', 'to'],
      answers: { 200: decision },
      named: true,
    }),
  },
  '/registration_checks': {
    get: describe('check_registration', 'Get what a registration still needs', {
      query: ['numbers', 'identity', 'address', 'onetime_files', 'service_description'],
      answers: { 200: registrationCheck },
      named: true,
    }),
  },
  '/statistics': {
    get: describe('read_statistics', 'Get calls and verifications by day', {
      query: ['days'],
      answers: { 200: strict({ days: shape.array(day) }) },
    }),
  },
  '/upcoming': {
    get: describe('read_upcoming', 'Get what time will bring', {
      answers: {
        200: strict({
          now: time,
          upcoming: shape.array(strict({ at: time, what: text, about: text, id: shape.either(uuid, shape.null()) })),
        }),
      },
    }),
  },
  '/notifications': {
    get: describe('read_notifications', 'Get what needs attention', {
      answers: { 200: strict({ notifications: shape.array(notification) }) },
    }),
  },
  '/statements': {
    get: describe('read_statement', 'Get the statement of a month', { query: ['month'], answers: { 200: statement } }),
  },
  '/statements.csv': { get: file('export_statement', 'Download a statement as CSV', 'text/csv') },
  '/statements.pdf': { get: file('print_statement', 'Download a statement as PDF', 'application/pdf') },
  '/invoices/{id}.pdf': { get: file('print_invoice', 'Download an invoice as PDF', 'application/pdf', true) },
  '/invoices/{id}.xml': {
    get: file('export_invoice', 'Download an invoice as e-invoice (UBL 2.1, EN 16931)', 'application/xml', true, true),
  },
  '/events': { get: file('listen', 'Listen to live events', 'text/event-stream') },
  '/event_receiver': { post: describe('receive_events', 'Take call events', { answers: { 204: null } }) },
  '/callback_replays': {
    post: describe('replay_callbacks', 'Send the callbacks of a period again', {
      body: replayBody,
      answers: { 200: replayed },
    }),
  },
  '/call_event_replays': {
    post: describe('replay_call_events', 'Send the call events of a period again', {
      body: replayBody,
      answers: { 200: replayed },
    }),
  },
  '/test_callbacks': {
    post: describe('send_test_callback', 'Send a test callback', {
      body: testCallbackBody,
      answers: { 201: strict({ resource_id: uuid }) },
    }),
  },
  '/signature_checks': {
    post: describe('check_signature', 'Compare a received callback with the sent one', {
      body: signatureCheckBody,
      answers: { 200: check },
    }),
  },
  '/secret_reveals': {
    post: describe('reveal_secrets', 'Show the passwords of a trunk', {
      body: secretBody,
      answers: { 201: strict({ type: text, id: uuid, secrets }) },
      named: true,
    }),
  },
  '/phone_credentials': {
    post: describe('make_phone_credentials', 'Let this browser ring for a trunk or call through one', {
      body: phoneBody,
      answers: { 201: strict({ type: text, id: uuid, username: text, password: text, expires_at: time }) },
      named: true,
    }),
  },
};
