/** The approval callback in the API reference: the request to the customer's server, and its possible responses. */
import type { PathItem, Schema } from '../../engines/openapi/types.ts';
import { deliveryMethod } from './bodies.ts';

const body: Schema = {
  type: 'object',
  required: ['event', 'data'],
  properties: {
    event: { const: 'verification_request', description: 'Always `verification_request`.' },
    data: {
      type: 'object',
      required: ['id', 'destination', 'delivery_method'],
      description: 'The verification that is to be started.',
      properties: {
        id: { type: 'string', format: 'uuid', description: 'The id that the start will return.' },
        destination: { type: 'string', description: 'The number in E.164 without `+`.' },
        delivery_method: deliveryMethod,
        custom: {
          type: 'string',
          description: 'What the client sent as `custom`, where the operator has switched that on.',
        },
      },
    },
  },
};

const decision: Schema = {
  type: 'object',
  required: ['action'],
  properties: {
    action: {
      type: 'string',
      enum: ['allow', 'deny'],
      description: 'Whether the code may be sent.',
      'x-enumDescriptions': { allow: 'Send the code.', deny: 'Send nothing; the start returns `denied`.' },
    },
  },
};

const request = {
  event: 'verification_request',
  data: { id: '0199a3c4-5e6f-7a8b-9c0d-1e2f3a4b5c6d', destination: '4915112345678', delivery_method: 'sms' },
};

/** The expression stands for the URL that is registered with the application; no part of the request has it. */
export const approvalCallback: Readonly<Record<string, PathItem>> = {
  'https://your-server.example/callback-url-of-the-application': {
    post: {
      operationId: 'approve_verification',
      summary: 'Approve a start',
      description:
        'Sent before anything is delivered. Verify the signature in `Authorization` and the age of `x-timestamp` before you act. There are 5 seconds to connect and 15 to answer, at most 8,192 bytes, no redirect and no second try; whatever is not a clear answer denies the start.',
      tags: ['Verification'],
      security: [],
      parameters: [
        {
          name: 'Authorization',
          in: 'header',
          required: true,
          schema: { type: 'string', examples: ['Application <key>:<signature>'] },
          description: "Signed like a request, with the application's secret and the path of the registered URL.",
        },
        {
          name: 'x-timestamp',
          in: 'header',
          required: true,
          schema: { type: 'string', pattern: '^\\d+$' },
          description: 'When it was signed, in Unix seconds.',
        },
      ],
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: body, examples: { request: { summary: 'A start by SMS', value: request } } },
        },
      },
      responses: {
        '200': {
          description: 'Any 2xx status with a decision.',
          content: {
            'application/json': {
              schema: decision,
              examples: {
                allow: { summary: 'Send the code', value: { action: 'allow' } },
                deny: { summary: 'Send nothing', value: { action: 'deny' } },
              },
            },
          },
        },
      },
    },
  },
};
