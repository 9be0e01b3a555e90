/**
 * The OpenAPI document of `/panel/v1`. Nobody is served it: the types of the panel are made from it
 * (`npm run panel-types`), and tests hold every response of the interface against it.
 */
import type { Environment } from '../../engines/environment.ts';
import { registryPart } from '../../engines/jsonapi/openapi/part.ts';
import { composeOpenApi } from '../../engines/openapi/compose.ts';
import type { OpenApiDocument, PathItem } from '../../engines/openapi/types.ts';
import { ownPaths } from './openapi-routes.ts';
import { signInPaths } from './openapi-sign-in.ts';
import { panelRegistry } from './resources.ts';

const prefix = '/panel/v1';

export function panelDocument(env: Pick<Environment, 'name'>, serverUrl: string): OpenApiDocument {
  const frame = { title: 'Trunkline panel', version: '1', description: 'What the panel needs.', serverUrl };
  const declared = registryPart(panelRegistry, {
    prefix,
    versions: [],
    pageSizes: { default: 50, max: 100 },
    tags: [{ name: 'Panel' }],
    securityScheme: { type: 'apiKey', in: 'cookie', name: 'session', description: 'The session of a person.' },
  });
  const own = Object.entries({ ...signInPaths, ...ownPaths }).map(([path, item]): [string, PathItem] => [
    `${prefix}${path}`,
    item,
  ]);
  return composeOpenApi({ ...frame, serverDescription: env.name }, [
    declared,
    { tags: [], paths: Object.fromEntries(own), components: {} },
  ]);
}
