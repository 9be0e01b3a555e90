/** The OpenAPI document of one environment: what each room contributes, put together. */
import type { Environment } from '../../environment.ts';
import { composeOpenApi } from '../../openapi/compose.ts';
import type { OpenApiDocument, OpenApiPart } from '../../openapi/types.ts';
import { ownRoutesPart, platformPart } from '../../platform/v3/openapi.ts';
import { NEWEST_VERSION } from '../../platform/versions/versions.ts';
import { sandboxPart } from '../../sandbox/openapi.ts';
import { verificationPart } from '../../verification/openapi.ts';

/** What of an environment the document depends on. */
export type Described = Pick<Environment, 'name'> & Partial<Pick<Environment, 'headerWord'>>;

/** One line per room; null where the room does not exist in an environment. */
export const openapiContributions: readonly ((env: Described) => OpenApiPart | null)[] = [
  ({ headerWord = 'Service' }) => platformPart(headerWord),
  () => ownRoutesPart,
  () => verificationPart,
  ({ name }) => (name === 'sandbox' ? sandboxPart : null),
];

const DESCRIPTION = `A self-hosted telephone-number platform.

Under \`/v3\` it speaks JSON:API (\`application/vnd.api+json\`): coverage, numbers, orders, trunks, regulation. Every call
there carries the header \`api-key\`.

Under \`/api/v1\` it verifies phone numbers with one-time codes, in plain JSON, for OTP applications.

Members named in a schema as required may be absent when \`fields[type]\` asks for fewer.`;

export function openApiDocument(env: Described, serverUrl: string): OpenApiDocument {
  const frame = {
    title: 'Trunkline',
    version: NEWEST_VERSION,
    description: DESCRIPTION,
    serverUrl,
    serverDescription: env.name,
  };
  return composeOpenApi(
    frame,
    openapiContributions.flatMap((contribute) => contribute(env) ?? []),
  );
}
