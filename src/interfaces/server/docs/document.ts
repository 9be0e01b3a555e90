/** The OpenAPI document of one environment, and what the API reference adds to it: recorded examples and guides. */
import { readFile } from 'node:fs/promises';
import { callEventsPart } from '../../../business/voice/events/openapi.ts';
import type { Environment } from '../../../engines/environment.ts';
import { composeOpenApi } from '../../../engines/openapi/compose.ts';
import type { Exchanges } from '../../../engines/openapi/examples.ts';
import type { OpenApiDocument, OpenApiPart } from '../../../engines/openapi/types.ts';
import { ownRoutesPart, platformPart } from '../../platform/v3/openapi.ts';
import { newestVersion } from '../../platform/versions/versions.ts';
import { sandboxPart } from '../../sandbox/openapi.ts';
import { verificationPart } from '../../verification/openapi.ts';

/** The part of an environment that the document depends on. */
type Described = Pick<Environment, 'name'> & Partial<Pick<Environment, 'headerWord'>>;

/** One line per room; null where the room does not exist in an environment. */
const openapiContributions: readonly ((env: Described, version: string) => OpenApiPart | null)[] = [
  ({ headerWord = 'Service' }, version) => platformPart(headerWord, version),
  (_env, version) => ownRoutesPart(version),
  () => callEventsPart,
  () => verificationPart,
  ({ name }) => (name === 'sandbox' ? sandboxPart : null),
];

const description = `A self-hosted telephone-number platform.

Under \`/v3\` it speaks JSON:API (\`application/vnd.api+json\`): coverage, numbers, orders, trunks, regulation. Every call
there carries the header \`api-key\`.

Under \`/api/v1\` it verifies phone numbers with one-time codes, in plain JSON, for OTP applications.

Members named in a schema as required may be absent when \`fields[type]\` asks for fewer.`;

/** `version` is that of `/v3`; the other interfaces have one. */
export function openApiDocument(env: Described, serverUrl: string, version = newestVersion): OpenApiDocument {
  const frame = {
    title: 'Trunkline',
    version,
    description,
    serverUrl,
    serverDescription: env.name,
  };
  return composeOpenApi(
    frame,
    openapiContributions.flatMap((contribute) => contribute(env, version) ?? []),
  );
}

/** The recorded exchanges that the API reference shows; `test/docs/examples.test.ts` records them. */
export const examplesFile = new URL('./examples.json', import.meta.url);

/** The address and the day of the recording. */
export const recordedUrl = 'http://127.0.0.1:8081';
const recordedDay = '2026-06-15';

/** The examples with this server's address in links, and with today's date: some dates may not lie far back. */
export async function readExamples(serverUrl: string, today: string): Promise<Exchanges> {
  const text = await readFile(examplesFile, 'utf8');
  return JSON.parse(text.replaceAll(recordedUrl, serverUrl).replaceAll(recordedDay, today));
}

/** The guides of `docs/guides` that the API reference shows before its operations, in reading order. */
export const guides = [
  'first-number',
  'authentication',
  'errors',
  'paging-and-filters',
  'versions',
  'callbacks',
  'call-events',
  'paperwork',
  'sandbox',
] as const;

export const guideFile = (name: string): URL => new URL(`../../../../docs/guides/${name}.md`, import.meta.url);

/** The commands in it name this server. */
export async function readGuide(name: string, serverUrl: string): Promise<string> {
  return (await readFile(guideFile(name), 'utf8')).replaceAll(recordedUrl, serverUrl);
}

/** All guides as one text. */
export async function readGuides(serverUrl: string): Promise<string> {
  return (await Promise.all(guides.map((name) => readGuide(name, serverUrl)))).join('\n');
}
