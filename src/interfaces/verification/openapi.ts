/**
 * The verification service in the API reference. The request bodies are the schemas that the server checks (bodies.ts).
 */
import { readFileSync } from 'node:fs';
import { strictObject } from '../../engines/openapi/schema.ts';
import type {
  Example,
  Method,
  OpenApiPart,
  Operation,
  Parameter,
  Response,
  Schema,
} from '../../engines/openapi/types.ts';
import { deliveryMethod, reportBody, startBody } from './bodies.ts';
import { type ErrorCode, errorEnvelope, errorTexts, outcomeTexts } from './errors.ts';
import { approvalCallback } from './openapi-callback.ts';
import { bodyExamples } from './openapi-examples.ts';

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Schema, examples?: Readonly<Record<string, Example>>) => ({
  'application/json': { schema, ...(examples !== undefined && { examples }) },
});
const text: Schema = { type: 'string' };

const language: Schema = {
  type: 'string',
  description: 'The language that was chosen from those asked for, or `en-US`.',
  examples: ['en-US'],
};
const codeLength: Schema = {
  type: 'integer',
  minimum: 4,
  maximum: 8,
  description: 'How many digits the code has.',
  examples: [6],
};

const verification: Schema = strictObject(
  {
    id: { type: 'string', format: 'uuid', description: 'Names the verification in reports and status requests.' },
    destination: {
      type: 'string',
      pattern: '^[1-9][0-9]*$',
      description: 'The number in E.164 without `+`, whatever form it was given in.',
    },
    delivery_method: deliveryMethod,
    fee: {
      type: 'string',
      description: 'What a success costs, VAT included, as a decimal number. Charged once, when it becomes `verified`.',
      examples: ['0.05'],
    },
    status: {
      type: 'string',
      enum: ['pending', 'verified', 'failed', 'expired', 'denied'],
      description: '`pending` is the only status that changes.',
      'x-enumDescriptions': {
        pending: 'The code is on its way or waits to be reported.',
        verified: 'The right code was reported.',
        failed: 'It ended without success; `error_code` says why.',
        expired: '`expires_at` passed before the right code came.',
        denied: 'The start was not approved; nothing was sent.',
      },
    },
    error_code: {
      type: ['string', 'null'],
      enum: [...Object.keys(outcomeTexts), null],
      description: 'Why it failed, expired or was denied; null while pending and when verified.',
    },
    error_detail: { type: ['string', 'null'], description: 'A fixed text for `error_code`; use the code in logic.' },
    expires_at: { type: 'string', format: 'date-time', description: 'Until when the code can be reported.' },
    sms: {
      ...strictObject(
        {
          template: { ...text, description: 'The text of the message, with `{{CODE}}` where the code stands.' },
          language,
          interception_timeout: {
            type: 'integer',
            minimum: 60,
            maximum: 600,
            description: 'How many seconds an application may wait for the message.',
          },
          code_length: codeLength,
          app_hash: { ...text, description: 'The application hash, when one was given.' },
          autofill: {
            ...strictObject({
              type: { type: 'string', enum: ['app_hash'], description: 'Always `app_hash`.' },
              value: { ...text, description: 'The application hash.' },
            }),
            description: 'The same hash in another form. Only where the operator has switched on `newerFields`.',
          },
        },
        ['template', 'language', 'interception_timeout', 'code_length'],
      ),
      description: 'About the message; only where `delivery_method` is `sms`.',
    },
    callout: {
      ...strictObject({ language, code_length: codeLength }),
      description: 'About the call; only where `delivery_method` is `callout`.',
    },
  },
  ['id', 'destination', 'delivery_method', 'fee', 'status', 'error_code', 'error_detail', 'expires_at'],
);

const schemas: Record<string, Schema> = {
  verification,
  verification_document: strictObject({ data: ref('verification') }),
  verification_errors: strictObject({
    errors: {
      type: 'array',
      minItems: 1,
      description: 'One entry per field that is wrong.',
      items: strictObject({
        code: { type: 'string', enum: Object.keys(errorTexts), description: 'What is wrong, for programs.' },
        detail: { ...text, description: 'What is wrong, for people; a fixed text for each code.' },
      }),
    },
  }),
  verification_start: startBody,
  verification_report: reportBody,
};

const sharedErrors: readonly ErrorCode[] = [
  'unauthorized',
  'service_unavailable',
  'internal_error',
  'rate_limit_failed_auth',
  'rate_limit_per_ip',
  'rate_limit_per_account',
  'rate_limit_public_per_account',
];
const startErrors: readonly ErrorCode[] = [
  'parameter_missing',
  'balance_insufficient',
  'destination_in_cooldown',
  'volume_limit_reached',
  'destination_blank',
  'destination_invalid',
  'delivery_method_blank',
  'delivery_method_inclusion',
  'languages_invalid',
  'app_hash_invalid',
  'autofill_invalid',
  'custom_too_long',
  'destination_not_supported_for_channel',
  'validation_failed',
];
const reportErrors: readonly ErrorCode[] = [
  'not_found',
  'parameter_missing',
  'delivery_method_blank',
  'delivery_method_inclusion',
  'delivery_method_invalid',
  'code_blank',
  'code_invalid',
  'already_verified',
  'not_ready_to_report',
];

const requestId = {
  description: 'Names the request in the logs of the server.',
  schema: { type: 'string', examples: ['0197f3a1-9f4b-7c2e-8d11-6a0c9f1f2b3c'] },
};
const retryAfter = {
  description: 'Whole seconds until the request may be sent again.',
  schema: { type: 'integer', minimum: 1, examples: [17] },
};
const outcome = {
  schema: { type: 'string' as const, enum: ['nothing_changed', 'unknown', 'done'] },
  description: 'What is known of the request that could not be answered: whether it changed anything.',
};

/** Errors by their status; each response names the codes it may hold, with an example of each. */
function responses(
  success: 200 | 201,
  codes: readonly ErrorCode[],
  examples: Readonly<Record<string, Example>>,
): Record<string, Response> {
  const all: Record<string, Response> = {
    [success]: {
      description: 'The verification.',
      headers: { 'X-Request-Id': requestId },
      content: json(ref('verification_document'), examples),
    },
  };
  for (const [status, ofStatus] of Map.groupBy([...sharedErrors, ...codes], (code) => String(errorTexts[code][0]))) {
    const errors = ofStatus.map((code): [string, Example] => [code, { summary: code, value: errorEnvelope([code]) }]);
    all[status] = {
      description: ofStatus.map((code) => `\`${code}\``).join(', '),
      headers: {
        'X-Request-Id': requestId,
        ...(['429', '503'].includes(status) && { 'Retry-After': retryAfter }),
        ...(status === '503' && { 'X-Outcome': outcome }),
      },
      content: json(ref('verification_errors'), Object.fromEntries(errors)),
    };
  }
  return all;
}

const timestamp: Parameter = {
  name: 'x-timestamp',
  in: 'header',
  schema: { type: 'string', pattern: '^\\d+$' },
  description: 'When the request was signed, in Unix seconds; only for signed requests, at most five minutes off.',
};
const shared: Pick<Operation, 'tags' | 'security'> = {
  tags: ['Verification'],
  security: [{ otp_basic: [] }, { otp_application: [] }],
};

const start: Operation = {
  operationId: 'start_verification',
  summary: 'Start a verification',
  description:
    'Sends a code to the destination. A public start, and a basic one of an application with a callback URL, asks that callback first. 201 also when it was denied: look at `status`. Do not repeat a failed start by itself.',
  ...shared,
  parameters: [timestamp],
  requestBody: { required: true, content: json(ref('verification_start'), bodyExamples.start) },
  responses: responses(201, startErrors, bodyExamples.started),
  callbacks: { approval: approvalCallback },
};

/** Read and report, by id or by number. */
function target(name: 'id' | 'number', suffix: string): Partial<Record<Method, Operation>> {
  const parameters: Parameter[] = [
    name === 'id'
      ? {
          name,
          in: 'path',
          required: true,
          schema: { type: 'string', format: 'uuid', examples: ['0199a3c4-5e6f-7a8b-9c0d-1e2f3a4b5c6d'] },
          description: 'The id that the start returned.',
        }
      : {
          name,
          in: 'path',
          required: true,
          schema: { ...text, examples: ['4915112345678'] },
          description:
            'The number in any form that a start takes; a `+` is written `%2B`. Means its newest verification.',
        },
    timestamp,
  ];
  const report = (operationId: string): Operation => ({
    operationId: `${operationId}${suffix}`,
    summary: name === 'id' ? 'Report a code' : 'Report a code by number',
    description:
      'A right code makes the verification `verified`. The third wrong one makes it `failed`. A verification that is final already is returned unchanged. Do not repeat a report by itself after a timeout: read the status first.',
    ...shared,
    parameters,
    requestBody: { required: true, content: json(ref('verification_report'), bodyExamples.report) },
    responses: responses(200, reportErrors, bodyExamples.reported),
  });
  return {
    get: {
      operationId: `read_verification${suffix}`,
      summary: name === 'id' ? 'Get a verification' : 'Get the newest verification of a number',
      description: 'Changes nothing and costs no attempt. Final verifications can be read for at least a day.',
      ...shared,
      parameters,
      responses: responses(200, ['not_found'], bodyExamples.read),
    },
    patch: report('report_verification'),
    put: report('put_report_verification'),
  };
}

export const verificationPart: OpenApiPart = {
  tags: [{ name: 'Verification', description: guide() }],
  paths: {
    '/api/v1/verifications': { post: start },
    '/api/v1/verifications/{id}': target('id', ''),
    '/api/v1/verifications/by_number/{number}': target('number', '_by_number'),
  },
  components: {
    schemas,
    securitySchemes: {
      otp_basic: { type: 'http', scheme: 'basic', description: "An application's key and secret." },
      otp_application: {
        type: 'apiKey',
        in: 'header',
        name: 'Authorization',
        description: '`Application <key>` (public) or `Application <key>:<signature>` (signed).',
      },
    },
  },
};

/** The guide without its title: the tag already shows it. */
function guide(): string {
  const file = new URL('../../../docs/guides/verification.md', import.meta.url);
  return readFileSync(file, 'utf8').replace(/^# .*\n+/, '');
}
