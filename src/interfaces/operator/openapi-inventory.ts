/** The routes of the inventory that are no JSON:API documents, for the OpenAPI document of /operator/v1. */
import { errorResponses } from '../../engines/jsonapi/openapi/schemas.ts';
import { strictObject } from '../../engines/openapi/schema.ts';
import type { OpenApiPart, Operation } from '../../engines/openapi/types.ts';
import { security } from './openapi-parts.ts';

const importContent: Operation = {
  operationId: 'send_catalogue_import_content',
  summary: 'Send the file of a catalogue import',
  description: 'For a file of any size up to 1 GiB, once. The import begins when all of it has arrived.',
  tags: ['Inventory'],
  security,
  parameters: [
    { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' }, description: 'The import.' },
  ],
  requestBody: {
    required: true,
    content: { 'text/csv': { schema: { type: 'string' } }, 'application/json': { schema: {} } },
  },
  responses: {
    202: {
      description: 'The file has arrived.',
      content: {
        'application/json': {
          schema: strictObject({ id: { type: 'string' }, status: { type: 'string' }, size: { type: 'integer' } }),
        },
      },
    },
    ...errorResponses({ named: true, writes: true }),
  },
};

export const inventoryPaths = (prefix: string): OpenApiPart['paths'] => ({
  [`${prefix}/catalogue_imports/{id}/content`]: { put: importContent },
});
