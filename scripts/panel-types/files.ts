/**
 * The generated files of types: one for each interface that the panel reads, and `/v3` for the client of suppliers,
 * which is served by the same declarations.
 */

import type { OpenApiDocument } from '../../src/engines/openapi/types.ts';
import { operatorDocument } from '../../src/interfaces/operator/openapi.ts';
import { panelDocument } from '../../src/interfaces/panel/openapi.ts';
import { newestVersion } from '../../src/interfaces/platform/versions/versions.ts';
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
  const version = `\n/** The version of \`/v3\` that these types describe. */\nexport const apiVersion = '${newestVersion}';\n`;
  files.set('src/business/suppliers/v3/wire.ts', `${await interfaceTypes(numberPlatform())}${version}`);
  return files;
}

/** What a supplier serves: `/v3` alone. */
function numberPlatform(): OpenApiDocument {
  const document = openApiDocument(env, '');
  const paths = Object.entries(document.paths).filter(([path]) => path.startsWith('/v3/'));
  return { ...document, paths: Object.fromEntries(paths) };
}
