/** The description of faults. */
import { strictObject } from '../../engines/openapi/schema.ts';
import type { OpenApiPart, Schema } from '../../engines/openapi/types.ts';
import { actionBody, newFaultBody } from './control-faults.ts';
import { act, answer, end, list, read, ref, text, time, uuid } from './openapi-operations.ts';

const addFault = act(
  'add_fault',
  'Let something go wrong',
  newFaultBody,
  { 201: answer('The fault.', ref('control_fault')) },
  {
    description:
      'For requests of this account to `/v3` and `/api/v1`, or with `fault` for what happens outside of requests. `GET /sandbox/v1/scenarios` lists the names of faults and errors.',
  },
);

export const faultsPart: { paths: OpenApiPart['paths']; schemas: Record<string, Schema> } = {
  paths: {
    '/sandbox/v1/faults': {
      get: read('list_faults', 'List your faults', strictObject({ faults: list(ref('control_fault')) })),
      post: addFault,
      delete: end('remove_faults', 'Remove all your faults', {}),
    },
    '/sandbox/v1/faults/{id}': {
      delete: end('remove_fault', 'Remove a fault', {
        parameters: [{ name: 'id', in: 'path', required: true, schema: uuid }],
      }),
    },
  },
  schemas: {
    control_fault: strictObject({
      id: uuid,
      match: strictObject({ method: text, path: text, api_key: text }, []),
      do: actionBody,
      times_left: { type: ['integer', 'null'] },
      probability: { type: 'number' },
      seed: { type: 'integer' },
      hits: { type: 'integer' },
      created_at: time,
    }),
  },
};
