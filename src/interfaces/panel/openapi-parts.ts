/**
 * How the routes of `/panel/v1` without a JSON:API document are described. Their request bodies are the schemas that
 * check them.
 */
import { type Circumstances, error, errorResponses } from '../../engines/jsonapi/openapi/schemas.ts';
import type { Operation, Response, Schema } from '../../engines/openapi/types.ts';
import { shape, type TypedSchema } from '../../engines/typed-schema.ts';

export const text = shape.string();
export const textOrNull = shape.either(text, shape.null());
export const time = shape.string({ format: 'date-time' });
export const timeOrNull = shape.either(time, shape.null());
export const uuid = shape.string({ format: 'uuid' });
export const whole = shape.integer();
export const wholeOrNull = shape.either(whole, shape.null());
export const yesOrNo = shape.boolean();

/** An object with these members and no others. */
export const strict = (members: Readonly<Record<string, TypedSchema>>): Schema =>
  shape.object(members, { additionalProperties: false });

type Status = 200 | 201 | 202 | 204;

interface Described extends Circumstances {
  body?: Schema;
  /** Success by status; null for one without a body. */
  answers: Partial<Record<Status, Schema | null>>;
  /** The names of parameters in the query. */
  query?: readonly string[];
  /** Takes a link that works once. */
  takesLink?: boolean;
}

export function describe(operationId: string, summary: string, described: Described): Operation {
  const { body, answers, query = [], takesLink = false, ...circumstances } = described;
  const succeeded = Object.entries(answers).map(([status, schema]): [string, Response] => [
    status,
    { description: 'Done.', ...(schema && { content: { 'application/json': { schema } } }) },
  ]);
  return {
    operationId,
    summary,
    tags: ['Panel'],
    ...(query.length > 0 && { parameters: query.map((name) => ({ name, in: 'query' as const, schema: text })) }),
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      ...Object.fromEntries(succeeded),
      ...errorResponses({ writes: body !== undefined, ...circumstances }),
      ...(takesLink && { 410: error('The link was used before, or is too old.') }),
    },
  };
}
