/** The generated files of the panel's types: one for each interface that it reads. */
import { operatorDocument } from '../../src/interfaces/operator/openapi.ts';
import { panelDocument } from '../../src/interfaces/panel/openapi.ts';
import { openApiDocument } from '../../src/interfaces/server/docs/document.ts';
import { interfaceTypes } from './interface-types.ts';

/** The sandbox has all that production has. */
const env = { name: 'sandbox' } as const;

/** File → the document that it is made from. */
const documents = {
  'web/src/interfaces/public.ts': openApiDocument(env, ''),
  'web/src/interfaces/operator.ts': operatorDocument(env, ''),
  'web/src/interfaces/panel.ts': panelDocument(env, ''),
};

export async function panelTypes(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const [file, document] of Object.entries(documents)) files.set(file, await interfaceTypes(document));
  return files;
}
