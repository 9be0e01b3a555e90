/** Every value that a client writes has a bound. */
import { expect, test } from 'vitest';
import type { Schema } from '../../../engines/openapi/types.ts';
import { platformPart } from './openapi.ts';

/** Request bodies of the API reference: no text and no list in them is without a limit. */
const schemas: Readonly<Record<string, Schema>> = platformPart('Trunkline').components.schemas ?? {};
const inputs = Object.entries(schemas).filter(([name]) => /_(create|update|input|patch)$/.test(name));

test.each(inputs)('%s', (name, schema) => {
  expect(unbounded(name, schema)).toEqual([]);
});

function unbounded(path: string, schema: Schema): string[] {
  const types = [schema.type ?? []].flat();
  const isText = types.includes('string') && !schema.enum && schema.const === undefined && !isFixed(schema);
  return [
    ...(isText && schema.maxLength === undefined ? [path] : []),
    ...(types.includes('array') && schema.maxItems === undefined ? [path] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) => unbounded(`${path}.${name}`, member)),
    ...(schema.oneOf ?? []).flatMap((each) => unbounded(path, each)),
  ];
}

/** Formats and patterns that bound the text themselves. */
const isFixed = ({ format, pattern }: Schema): boolean =>
  ['uuid', 'date', 'date-time'].includes(format ?? '') || (pattern ?? '').startsWith('^-?\\d+');
