/** The three events of an inbound call in the API reference, as webhooks. */
import type { OpenApiPart, PathItem, Schema } from '../../../engines/openapi/types.ts';

type Kind = 'start' | 'connect' | 'end';

const moment = (description: string): Schema => ({
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}\\+00:00$',
  description,
});
const orNull = (schema: Schema): Schema => ({ ...schema, type: [String(schema.type), 'null'] });

const common = {
  time_start: moment('When the call arrived.'),
  did_number: { type: 'string', description: 'Your number that was called.' },
  src_number: { type: 'string', description: 'Who calls, as the carrier says.' },
} as const satisfies Record<string, Schema>;

const callId: Schema = {
  type: ['string', 'null'],
  description: 'The SIP `Call-ID` of the leg to your trunk that answered, or of the last one that was tried.',
};

const attributes: Readonly<Record<Kind, Readonly<Record<string, Schema>>>> = {
  start: common,
  connect: { ...common, time_connect: moment('When it was answered.'), call_id: callId },
  end: {
    ...common,
    time_connect: orNull(moment('When it was answered; null if it never was.')),
    time_end: moment('When it ended.'),
    duration: { type: 'integer', minimum: 0, description: 'Seconds from the answer to the end.' },
    call_id: callId,
  },
};

const values: Readonly<Record<string, unknown>> = {
  time_start: '2026-06-15T12:00:00.000000+00:00',
  time_connect: '2026-06-15T12:00:02.000000+00:00',
  time_end: '2026-06-15T12:00:32.000000+00:00',
  duration: 30,
  did_number: '442079460000',
  src_number: '442079460001',
  call_id: '5f1c0e7a@trunkline',
};

const when: Readonly<Record<Kind, string>> = {
  start: 'Sent when the destination of the call is found.',
  connect: 'Sent when the destination answers; a call that nobody answers has none.',
  end: 'Sent when the call ends, in whatever way.',
};

function eventOf(kind: Kind): PathItem {
  const type = `incoming-call-${kind}-event`;
  const members = attributes[kind];
  const shown = Object.fromEntries(Object.keys(members).map((name) => [name, values[name]]));
  return {
    post: {
      operationId: type.replaceAll('-', '_'),
      summary: `An inbound call: ${kind}`,
      description: `${when[kind]} It carries no signature: let the operator set Basic authentication or a header of your own with the endpoint. It may come twice; \`id\` and \`type\` together name it. With \`Content-Encoding: gzip\` if that was chosen.`,
      tags: ['Call events'],
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/vnd.api+json': {
            schema: {
              type: 'object',
              required: ['type', 'id', 'attributes'],
              additionalProperties: false,
              properties: {
                type: { const: type, description: `Always \`${type}\`.` },
                id: {
                  type: 'string',
                  pattern: '^\\d+(-[0-9A-F]+)+$',
                  description: 'The call: the same in its three events.',
                },
                attributes: {
                  type: 'object',
                  required: Object.keys(members),
                  additionalProperties: false,
                  properties: members,
                },
              },
            },
            examples: {
              [kind]: {
                summary: `The ${kind} of a call`,
                value: { type, id: '10-06F0CD25-8189661F2EF9CEDA-574F280E', attributes: shown },
              },
            },
          },
        },
      },
      responses: {
        '200': { description: 'Any status of 200 to 299: taken.' },
        default: {
          description:
            'It comes again after 1 s, 5 s, 30 s, 2 min and 10 min, then every hour for a day. Later events of the same call wait for it.',
        },
      },
    },
  };
}

export const callEventsPart: OpenApiPart = {
  tags: [{ name: 'Call events', description: 'What your endpoint is told of a call while it happens.' }],
  paths: {},
  webhooks: {
    'incoming-call-start-event': eventOf('start'),
    'incoming-call-connect-event': eventOf('connect'),
    'incoming-call-end-event': eventOf('end'),
  },
  components: {},
};
