/** What the verification service says of itself in the API reference. */
import type { Method, OpenApiPart, Operation, Parameter, Response, Schema } from '../openapi/types.ts';
import { ERRORS, type ErrorCode, OUTCOMES } from './errors.ts';

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Schema) => ({ 'application/json': { schema } });
const strict = (properties: Record<string, Schema>, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer', minimum: 1 };

const deliveryMethod: Schema = { type: 'string', enum: ['sms', 'callout'] };
const language: Schema = { type: 'string', description: 'The language that was chosen.', examples: ['en-US'] };

const NEWER = 'Only where the operator has switched on `newerFields`.';

const verification: Schema = strict(
  {
    id: { type: 'string', format: 'uuid' },
    destination: { type: 'string', pattern: '^[0-9]+$', description: 'Digits, without `+`.' },
    delivery_method: deliveryMethod,
    fee: { type: 'string', description: 'What a success costs: a decimal number.', examples: ['0.05'] },
    status: { type: 'string', enum: ['pending', 'verified', 'failed', 'expired', 'denied'] },
    error_code: { type: ['string', 'null'], enum: [...Object.keys(OUTCOMES), null] },
    error_detail: { type: ['string', 'null'] },
    expires_at: { type: 'string', format: 'date-time' },
    sms: strict(
      {
        template: text,
        language,
        interception_timeout: count,
        code_length: count,
        app_hash: text,
        autofill: { ...strict({ type: { type: 'string', enum: ['app_hash'] }, value: text }), description: NEWER },
      },
      ['template', 'language', 'interception_timeout', 'code_length'],
    ),
    callout: strict({ language, code_length: count }),
  },
  ['id', 'destination', 'delivery_method', 'fee', 'status', 'error_code', 'error_detail', 'expires_at'],
);

const appHash: Schema = { type: 'string', pattern: '^[A-Za-z0-9+/]{11}$' };
const autofill: Schema = {
  ...strict({ type: { type: 'string', enum: ['app_hash', 'none'] }, value: appHash }, ['type']),
  description: `Instead of \`app_hash\`. ${NEWER}`,
};

const languages: Schema = {
  type: 'array',
  items: { type: 'string', pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$' },
  description: 'In order of preference; the first that is known is used.',
};

const schemas: Record<string, Schema> = {
  verification,
  verification_document: strict({ data: ref('verification') }),
  verification_errors: strict({
    errors: {
      type: 'array',
      minItems: 1,
      items: strict({ code: { type: 'string', enum: Object.keys(ERRORS) }, detail: text }),
    },
  }),
  verification_start: strict({
    data: strict(
      {
        destination: { type: 'string', description: 'A number with its country code.', examples: ['+4915112345678'] },
        delivery_method: deliveryMethod,
        sms: strict({ languages, app_hash: appHash, autofill }, []),
        callout: strict({ languages }, []),
        custom: { type: 'string', maxLength: 4096, description: `Handed to the approval callback. ${NEWER}` },
      },
      ['destination', 'delivery_method'],
    ),
  }),
  verification_report: strict({ data: strict({ delivery_method: deliveryMethod, code: text }) }),
};

const OF_ALL: readonly ErrorCode[] = [
  'unauthorized',
  'service_unavailable',
  'internal_error',
  'rate_limit_failed_auth',
  'rate_limit_per_ip',
  'rate_limit_per_account',
  'rate_limit_public_per_account',
];
const OF_START: readonly ErrorCode[] = [
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
const OF_REPORT: readonly ErrorCode[] = [
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

/** Errors by their status; each answer says which codes it may hold. */
function responses(success: 200 | 201, codes: readonly ErrorCode[]): Record<string, Response> {
  const all: Record<string, Response> = {
    [success]: { description: 'The verification.', content: json(ref('verification_document')) },
  };
  for (const code of [...OF_ALL, ...codes]) {
    const status = String(ERRORS[code][0]);
    const known = all[status]?.description;
    all[status] = {
      description: [known, `\`${code}\``].filter(Boolean).join(', '),
      content: json(ref('verification_errors')),
    };
  }
  return all;
}

const timestamp: Parameter = {
  name: 'x-timestamp',
  in: 'header',
  schema: { type: 'string', pattern: '^\\d+$' },
  description: 'Unix seconds; part of a signed request.',
};
const shared: Pick<Operation, 'tags' | 'security'> = {
  tags: ['Verification'],
  security: [{ otp_basic: [] }, { otp_application: [] }],
};

const start: Operation = {
  operationId: 'start_verification',
  summary: 'Start a verification',
  description: 'Sends a code to the destination, unless the application’s callback denies it.',
  ...shared,
  parameters: [timestamp],
  requestBody: { required: true, content: json(ref('verification_start')) },
  responses: responses(201, OF_START),
};

/** Read and report, by id or by number. */
function target(name: 'id' | 'number', suffix: string): Partial<Record<Method, Operation>> {
  const parameters: Parameter[] = [
    { name, in: 'path', required: true, schema: name === 'id' ? { type: 'string', format: 'uuid' } : text },
    timestamp,
  ];
  const report = (operationId: string): Operation => ({
    operationId: `${operationId}${suffix}`,
    summary: 'Report a code',
    description: 'A final verification answers 200 unchanged. The third wrong code makes it fail.',
    ...shared,
    parameters,
    requestBody: { required: true, content: json(ref('verification_report')) },
    responses: responses(200, OF_REPORT),
  });
  return {
    get: {
      operationId: `read_verification${suffix}`,
      summary: 'Read a verification',
      ...shared,
      parameters,
      responses: responses(200, ['not_found']),
    },
    patch: report('report_verification'),
    put: report('put_report_verification'),
  };
}

export const verificationPart: OpenApiPart = {
  tags: [{ name: 'Verification', description: 'One-time codes by SMS or phone call. Plain JSON under `/api/v1`.' }],
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
