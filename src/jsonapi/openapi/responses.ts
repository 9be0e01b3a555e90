/** The answers an operation can give beside success. */
import type { Reference, Response } from '../../openapi/types.ts';
import { MEDIA_TYPE } from '../http.ts';
import { schemaRef } from './schemas.ts';

const error = (description: string): Response => ({
  description,
  content: { [MEDIA_TYPE]: { schema: schemaRef('errors_document') } },
});

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
} as const;

const RESPONSES = {
  304: { name: 'not_modified', response: { description: 'What `If-None-Match` named is still so.' } },
  400: { name: 'bad_request', response: error('A parameter or member that this operation does not take.') },
  401: { name: 'unauthorized', response: error('No key, or one that is not valid.') },
  403: { name: 'forbidden', response: error('The account may not do this.') },
  404: { name: 'not_found', response: error('There is no such record for this account.') },
  406: { name: 'not_acceptable', response: error(`\`Accept\` leaves no room for ${MEDIA_TYPE}.`) },
  409: { name: 'conflict', response: error('The record is in use or in another state.') },
  413: { name: 'payload_too_large', response: error('The request body is too large.') },
  415: { name: 'unsupported_media_type', response: error(`The body is not ${MEDIA_TYPE} without parameters.`) },
  422: { name: 'unprocessable', response: error('Something in the document is not valid; one error per problem.') },
  429: {
    name: 'too_many_requests',
    response: {
      ...error('More requests than the key may make.'),
      headers: RETRY_AFTER,
    },
  },
  503: {
    name: 'unavailable',
    response: {
      ...error('The server is busy or its database away; the request changed nothing.'),
      headers: RETRY_AFTER,
    },
  },
} as const satisfies Record<number, { name: string; response: Response }>;

export const sharedResponses: Readonly<Record<string, Response>> = Object.fromEntries(
  Object.values(RESPONSES).map(({ name, response }) => [name, response]),
);

type Status = keyof typeof RESPONSES;

const FOR_ALL: readonly Status[] = [400, 401, 403, 406, 429, 503];
const ON_WRITE: readonly Status[] = [409, 413, 415, 422];

export interface Circumstances {
  /** Reads may be answered with 304. */
  cached?: boolean;
  /** The path names a record. */
  named?: boolean;
  /** The request has a body, or changes something. */
  writes?: boolean;
  /** Asked for without a key. */
  open?: boolean;
}

export function errorResponses({ cached, named, writes, open }: Circumstances): Record<string, Reference> {
  const statuses: Status[] = [
    ...(cached ? [304 as const] : []),
    ...FOR_ALL.filter((status) => !(open && status === 401)),
    ...(named ? [404 as const] : []),
    ...(writes ? ON_WRITE : []),
  ];
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/${RESPONSES[status].name}` }]),
  );
}
