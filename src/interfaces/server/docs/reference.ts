/** The page of the API reference and its one script, both from this process: nothing is fetched from elsewhere. */

import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import { chooseEncoding } from '../../../engines/jsonapi/accept-encoding.ts';
import { startScript } from './start-script.ts';

interface ApiReference {
  /** `authentication` is what the page has filled in; null: nothing. A version is null if it is the newest. */
  page: (authentication: object | null, nonce: string, version: string | null) => string;
  script: Packed;
  /** Starts the reference with the configuration of the page. */
  start: Packed;
}

const scriptPath = '/docs/js/scalar.js';

let loading: Promise<ApiReference> | undefined;

/** Loaded by the first visitor: it takes half a second and some megabytes, which a start should not pay for. */
export function apiReference(): Promise<ApiReference> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<ApiReference> {
  const [script, start] = await Promise.all([pack(await readScript()), pack(startScript)]);
  const versions = { script: script.version, start: start.version };
  return { page: (...shown) => render(versions, ...shown), script, start };
}

/** The package hands its script out only as a route. */
async function readScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const app = Fastify();
  await app.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } });
  const { rawPayload } = await app.inject(scriptPath);
  await app.close();
  return rawPayload;
}

/**
 * Addresses are relative, so that a path prefix of a proxy does not matter. No script stands in the page, only data;
 * the nonce is for the styles that the script adds.
 */
const render = (
  versions: { script: string; start: string },
  authentication: object | null,
  nonce: string,
  version: string | null,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" content="${nonce}">
<link rel="icon" href="data:,">
<title>Trunkline: API reference</title>
</head>
<body>
<div id="app"></div>
<script type="application/json" id="configuration">${inScript({
  ...configuration,
  ...(version === null ? {} : { url: `${configuration.url}?version=${version}` }),
  ...(authentication ? { authentication } : {}),
})}</script>
<script src="docs/start.js?v=${versions.start}"></script>
<script src="docs/scalar.js?v=${versions.script}"></script>
</body>
</html>
`;

/** A value inside a script element: nothing in it may end the element. */
const inScript = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');

const configuration = {
  url: 'docs/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  authentication: { preferredSecurityScheme: 'api_key' },
  defaultOpenAllTags: false,
  hideModels: false,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
};

/** A text that is requested often: compressed once, sent compressed if the client accepts it. */
interface Packed {
  plain: Buffer;
  zipped: Buffer;
  /** Changes when the text does. */
  version: string;
}

export async function pack(text: string | Buffer): Promise<Packed> {
  const plain = Buffer.from(text);
  const version = createHash('sha256').update(plain).digest('hex').slice(0, 16);
  return { plain, zipped: await promisify(gzip)(plain), version };
}

export function sendPacked(
  request: FastifyRequest,
  reply: FastifyReply,
  { plain, zipped, version }: Packed,
): FastifyReply {
  const zip = chooseEncoding(request.headers['accept-encoding'], ['gzip']) === 'gzip';
  const etag = `W/"${version}"`;
  reply.header('vary', 'accept-encoding').header('etag', etag);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.headers(zip ? { 'content-encoding': 'gzip' } : {}).send(zip ? zipped : plain);
}
