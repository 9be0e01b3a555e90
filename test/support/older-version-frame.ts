/**
 * What a response in an older version of the interface has in common with the newest: everything but the members of
 * types.
 */
import { arrayOf, orNull, schemaRef, strictObject } from '../../src/engines/jsonapi/openapi/schemas.ts';
import type { Schema } from '../../src/engines/openapi/types.ts';

const anything: Schema = { type: 'object' };

const resource: Schema = strictObject(
  {
    id: { type: 'string', format: 'uuid' },
    type: { type: 'string' },
    attributes: anything,
    relationships: anything,
    meta: anything,
  },
  ['id', 'type'],
);

const meta: Schema = { type: 'object', properties: { api_version: { type: 'string' } }, required: ['api_version'] };

export const olderVersionFrame: Schema = {
  oneOf: [
    schemaRef('errors_document'),
    strictObject({ data: orNull(resource), included: arrayOf(resource), meta }, ['data', 'meta']),
    strictObject({ data: arrayOf(resource), included: arrayOf(resource), meta, links: schemaRef('page_links') }, [
      'data',
      'meta',
    ]),
    strictObject({ links: schemaRef('relationship_links'), data: {}, meta }),
  ],
};
