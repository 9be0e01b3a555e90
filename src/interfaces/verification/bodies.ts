/**
 * The two request bodies of `/api/v1` as JSON Schema. These schemas are what the server checks (fields.ts) and what the
 * API reference shows (openapi.ts); a rule that is not here exists in neither.
 */

import type { Schema } from '../../engines/openapi/types.ts';
import { checkerOf } from '../../engines/typed-schema.ts';
import { destinationPattern } from './destination.ts';

const onlyNewer = 'Read only where the operator has switched on `newerFields`.';

export const destination: Schema = {
  type: 'string',
  pattern: destinationPattern,
  description:
    'The number to verify, with its country code. A leading `+` or `00`, spaces, hyphens and brackets are removed, and so is a trunk zero behind the country code (`+49 (0)151 …`). Any other number that starts with 0 is `destination_invalid`. A JSON number is read as its digits.',
  examples: ['+4915112345678'],
};

export const deliveryMethod: Schema = {
  type: 'string',
  enum: ['sms', 'callout'],
  description: 'How the code is delivered: `sms` is a text message, `callout` a phone call that speaks it.',
  examples: ['sms'],
};

export const languages: Schema = {
  type: ['array', 'null'],
  items: { type: 'string', pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$' },
  // More than any client needs; a start stays cheap.
  maxItems: 100,
  description:
    'Language tags, most preferred first. The first one that has a text is used, compared as a whole: `pl` does not match `pl-PL`. Without a match it is `en-US`.',
  examples: [['de-DE', 'en-GB']],
};

const hashPattern = '^[A-Za-z0-9+/]{11}$';

export const appHash: Schema = {
  type: ['string', 'null'],
  pattern: hashPattern,
  description:
    'The hash of an Android application. The message then starts with `<#>` and ends with the hash, so that Android hands it to that application.',
  examples: ['FA+9qCX9VSu'],
};

export const autofill: Schema = {
  type: 'object',
  oneOf: [
    {
      properties: { type: { const: 'app_hash' }, value: { type: 'string', pattern: hashPattern } },
      required: ['type', 'value'],
    },
    { properties: { type: { const: 'none' } }, required: ['type'] },
  ],
  description: `Another way to give an application hash, instead of \`app_hash\`. ${onlyNewer}`,
  examples: [{ type: 'app_hash', value: 'FA+9qCX9VSu' }],
};

export const custom: Schema = {
  type: 'string',
  maxLength: 4096,
  description: `Free text that the approval callback gets as \`data.custom\`; no response shows it. ${onlyNewer}`,
  examples: ['signup form, visitor 4711'],
};

export const code: Schema = {
  type: 'string',
  pattern: '\\S',
  description: 'The code that the user has received. White space around it is removed; leading zeros count.',
  examples: ['123456'],
};

export const startBody: Schema = body(
  {
    destination,
    delivery_method: deliveryMethod,
    sms: {
      type: 'object',
      properties: { languages, app_hash: appHash, autofill },
      description: 'Options of a text message; ignored when `delivery_method` is `callout`.',
    },
    callout: {
      type: 'object',
      properties: { languages },
      description: 'Options of a call; ignored when `delivery_method` is `sms`.',
    },
    custom,
  },
  ['destination', 'delivery_method'],
);

export const reportBody: Schema = body(
  {
    delivery_method: { ...deliveryMethod, description: 'The method that the verification was started with.' },
    code,
  },
  ['delivery_method', 'code'],
);

/** Whether a value is what a schema says. */
export function checkOf(schema: Schema): (value: unknown) => boolean {
  return checkerOf(schema).allows;
}

/** Unknown members are allowed everywhere: the server ignores them. */
function body(properties: Record<string, Schema>, required: string[]): Schema {
  const data: Schema = {
    type: 'object',
    properties,
    required,
    additionalProperties: true,
    description: 'What the request is about. Unknown members are ignored.',
  };
  return { type: 'object', properties: { data }, required: ['data'], additionalProperties: true };
}
