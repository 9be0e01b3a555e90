/** The routes of a reviewer that are no JSON:API documents, for the OpenAPI document. */
import { errorResponses } from '../../../engines/jsonapi/openapi/schemas.ts';
import { strictObject } from '../../../engines/openapi/schema.ts';
import type { Operation, Schema } from '../../../engines/openapi/types.ts';
import { json, parameter, security, text, textOrNull } from '../openapi-parts.ts';

const texts: Schema = { type: 'array', items: text };
const members: Schema = { type: ['object', 'null'], additionalProperties: textOrNull };

export const submissionPapers: Operation = {
  operationId: 'read_submission_papers',
  summary: 'Read the papers of a submission',
  description: 'Who, where, which numbers and files, beside what the requirements of the numbers ask for.',
  tags: ['Review'],
  security,
  parameters: [parameter('submission', 'The id of the submission.')],
  responses: json(
    'The papers.',
    {
      id: text,
      required: {
        type: 'array',
        description: 'What is asked for.',
        items: strictObject({ of: { ...text, enum: ['Identity', 'Address', 'Documents', 'Service'] }, text }),
      },
      identity: members,
      address: members,
      service_description: textOrNull,
      numbers: texts,
      files: { type: 'array', items: strictObject({ id: text, of: text, size: { type: 'integer' } }) },
    },
    { named: true },
  ),
};

export const submissionFile: Operation = {
  operationId: 'open_submission_file',
  summary: 'Open a file of a submission',
  description: 'The decrypted PDF, JPG or PNG. The audit log remembers who opened it.',
  tags: ['Review'],
  security,
  parameters: [parameter('file', 'The id of the file, as the papers name it.')],
  responses: {
    200: {
      description: 'The file.',
      content: Object.fromEntries(
        ['application/pdf', 'image/jpeg', 'image/png'].map((type) => [type, { schema: { type: 'string' } }]),
      ),
    },
    ...errorResponses({ named: true, writes: true }),
  },
};
