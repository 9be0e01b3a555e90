/** Words that the OpenAPI texts of routes without a JSON:API document share. */
import { errorResponses } from '../../engines/jsonapi/openapi/schemas.ts';
import { strictObject } from '../../engines/openapi/schema.ts';
import type { Operation, Parameter, Schema } from '../../engines/openapi/types.ts';

export const security = [{ api_key: [] }];
export const text: Schema = { type: 'string' };
export const textOrNull: Schema = { type: ['string', 'null'] };

export const json = (
  description: string,
  members: Record<string, Schema>,
  circumstances: Parameters<typeof errorResponses>[0] = {},
): Operation['responses'] => ({
  200: { description, content: { 'application/json': { schema: strictObject(members) } } },
  ...errorResponses(circumstances),
});

export const parameter = (name: string, line: string): Parameter => ({
  name,
  in: 'query',
  required: true,
  schema: text,
  description: line,
});
