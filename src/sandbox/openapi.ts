/** What the sandbox's control interface says of itself in the API reference. */
import type { OpenApiPart, Response, Schema } from '../openapi/types.ts';

const json = (schema: Schema) => ({ 'application/json': { schema } });
const error = (description: string): Response => ({
  description,
  content: json({ $ref: '#/components/schemas/control_error' }),
});

const security = [{ api_key: [] }];
const tags = ['Sandbox'];
const refused = { 401: error('No key, or one that is not valid.') };
const reading = { description: 'The clock.', content: json({ $ref: '#/components/schemas/control_clock' }) };

export const sandboxPart: OpenApiPart = {
  tags: [
    { name: 'Sandbox', description: 'Moves the time and plays the outside world. Plain JSON, on the sandbox only.' },
  ],
  paths: {
    '/sandbox/v1/clock': {
      get: {
        operationId: 'read_clock',
        summary: "Read the environment's clock",
        tags,
        security,
        responses: { 200: reading, ...refused },
      },
      post: {
        operationId: 'advance_clock',
        summary: 'Move the clock forward',
        description: 'Answers once everything that fell due on the way has run.',
        tags,
        security,
        requestBody: {
          required: true,
          content: json({
            type: 'object',
            properties: { advance_seconds: { type: 'integer', minimum: 1 } },
            required: ['advance_seconds'],
            additionalProperties: false,
          }),
        },
        responses: {
          200: reading,
          400: error('The body is not JSON.'),
          ...refused,
          415: error('The body is not application/json.'),
          422: error('What was sent does not make sense.'),
          503: error('Something that fell due did not end in time.'),
        },
      },
    },
  },
  components: {
    schemas: {
      control_clock: {
        type: 'object',
        properties: { now: { type: 'string', format: 'date-time' }, offset_seconds: { type: 'integer', minimum: 0 } },
        required: ['now', 'offset_seconds'],
        additionalProperties: false,
      },
      control_error: {
        type: 'object',
        properties: { error: { type: 'string' } },
        required: ['error'],
        additionalProperties: false,
      },
    },
  },
};
