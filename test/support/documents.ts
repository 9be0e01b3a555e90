/**
 * The OpenAPI documents that clients hold responses against. Each is made once: of the servers of a run they differ by
 * the address only, which no check reads.
 */
import type { OpenApiDocument } from '../../src/engines/openapi/types.ts';
import { operatorDocument } from '../../src/interfaces/operator/openapi.ts';
import { openApiDocument } from '../../src/interfaces/server/docs/document.ts';
import type { WholeEnvironment } from '../../src/interfaces/server/whole-environment.ts';

type Described = Pick<WholeEnvironment, 'name' | 'headerWord'>;

const address = 'http://127.0.0.1';

export const customersDocument = once((env) => openApiDocument(env, address));
export const operatorsDocument = once((env) => operatorDocument(env, address));

function once(make: (env: Described) => OpenApiDocument): (env: Described) => OpenApiDocument {
  const made = new Map<string, OpenApiDocument>();
  return (env) => {
    const key = `${env.name} ${env.headerWord}`;
    const document = made.get(key) ?? make(env);
    made.set(key, document);
    return document;
  };
}
