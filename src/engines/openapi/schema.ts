/** Schemas that several rooms build their parts of the document with. */
import type { Schema } from './types.ts';

/** An object with these members and no others; all of them are required unless `required` names fewer. */
export const strictObject = (properties: Record<string, Schema>, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
