/** Helpers for building schemas, and the responses that operations share. */
import type { Reference, Response, Schema } from '../../openapi/types.ts';
import { mediaType } from '../http.ts';

export type Schemas = Record<string, Schema>;

export const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** An object that has these members and no other. */
export function strictObject(properties: Schemas, required: readonly string[] = Object.keys(properties)): Schema {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

export const arrayOf = (items: Schema): Schema => ({ type: 'array', items });

/** One of several objects that say in `type` which they are. The component names are the values of `type`. */
export function taggedUnion(names: readonly string[], refOf: (name: string) => Schema = schemaRef): Schema {
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return refOf(only);
  return { type: 'object', oneOf: names.map(refOf), discriminator: { propertyName: 'type' } };
}

export const orNull = (schema: Schema): Schema => ({ oneOf: [schema, { type: 'null' }] });

/** A refusal whose body is the errors' own document. */
export const error = (description: string): Response => ({
  description,
  content: { [mediaType]: { schema: schemaRef('errors_document') } },
});

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
} as const;

const responses = {
  304: { name: 'not_modified', response: { description: 'What `If-None-Match` named is still so.' } },
  400: { name: 'bad_request', response: error('A parameter or member that this operation does not take.') },
  401: { name: 'unauthorized', response: error('No key, or one that is not valid.') },
  403: { name: 'forbidden', response: error('The account may not do this.') },
  404: { name: 'not_found', response: error('There is no such record for this account.') },
  406: { name: 'not_acceptable', response: error(`\`Accept\` leaves no room for ${mediaType}.`) },
  409: { name: 'conflict', response: error('The record is in use or in another state.') },
  413: { name: 'payload_too_large', response: error('The request body is too large.') },
  415: { name: 'unsupported_media_type', response: error(`The body is not ${mediaType} without parameters.`) },
  422: { name: 'unprocessable', response: error('Something in the document is not valid; one error per problem.') },
  429: {
    name: 'too_many_requests',
    response: {
      ...error('More requests than the key may make.'),
      headers: retryAfter,
    },
  },
  503: {
    name: 'unavailable',
    response: {
      ...error(
        'The server is busy or its database away. `meta.outcome` says what is known: `nothing_changed`, `unknown` (it broke off while a change was being stored) or `done` (only the answer could not be read).',
      ),
      headers: retryAfter,
    },
  },
} as const satisfies Record<number, { name: string; response: Response }>;

export const sharedResponses: Readonly<Record<string, Response>> = Object.fromEntries(
  Object.values(responses).map(({ name, response }) => [name, response]),
);

type Status = keyof typeof responses;

const always: readonly Status[] = [400, 401, 403, 406, 429, 503];
const onWrite: readonly Status[] = [409, 413, 415, 422];

export interface Circumstances {
  /** The response may be 304. */
  cached?: boolean;
  /** The path names a record. */
  named?: boolean;
  /** The request has a body, or changes something. */
  writes?: boolean;
  /** Needs no key. */
  open?: boolean;
}

export function errorResponses({ cached, named, writes, open }: Circumstances): Record<string, Reference> {
  const statuses: Status[] = [
    ...(cached ? [304 as const] : []),
    ...always.filter((status) => !(open && status === 401)),
    ...(named ? [404 as const] : []),
    ...(writes ? onWrite : []),
  ];
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/${responses[status].name}` }]),
  );
}
