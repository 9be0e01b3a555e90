/**
 * `/openapi.json`, `/docs`, `/operator/docs`, `/postman.json`, `/llms.txt`: the interface, described by the
 * declarations that also run it.
 */
import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Environment } from '../../../engines/environment.ts';
import { withExamples } from '../../../engines/openapi/examples.ts';
import { llmsText } from '../../../engines/openapi/llms.ts';
import { postmanCollection } from '../../../engines/openapi/postman.ts';
import type { OpenApiDocument } from '../../../engines/openapi/types.ts';
import { operatorDocument } from '../../operator/openapi.ts';
import { baseUrlOf } from '../../platform/context.ts';
import { knownVersions, newestVersion } from '../../platform/versions/versions.ts';
import { registerPage } from '../pages.ts';
import { type DemoAccess, filledIn, isLocal } from './demo-access.ts';
import { openApiDocument, readExamples, readGuides } from './document.ts';
import { withLiveRecords } from './live-examples.ts';
import { apiReference, pack, sendPacked } from './reference.ts';

export const docsRoom = (demo: DemoAccess | null) => async (app: FastifyInstance, env: Environment) => {
  const remember = rememberLast(() => today(env));
  const examplesFor = remember((url) => readExamples(url, today(env)));
  const descriptions = eachVersion((version) => {
    const frameFor = remember((url) => withGuides(openApiDocument(env, url, version), url));
    // The examples are of the newest version.
    const describe = async (url: string) =>
      version === newestVersion ? withExamples(await frameFor(url), await examplesFor(url)) : frameFor(url);
    const packed = (render: (document: OpenApiDocument) => string) =>
      remember(async (url) => pack(render(await describe(url))));
    const texts = new Map(exportsOfTheDocument.map(({ path, render }) => [path, packed(render)]));
    return { frameFor, documentFor: packed(JSON.stringify), texts };
  });
  registerPage(app, '/openapi.json', async (request, reply) => {
    const described = descriptions(versionOf(request));
    reply
      .header('cache-control', 'no-cache')
      .header('access-control-allow-origin', '*')
      .type('application/json; charset=utf-8');
    return sendPacked(request, reply, await described.documentFor(baseUrlOf(env, request)));
  });
  registerReference(app, env, '', (request) => (demo !== null && isLocal(request) ? filledIn(demo) : null));
  // The page's own copy: with ids that work for the demo account, and not for pages of other origins.
  registerPage(app, '/docs/openapi.json', async (request, reply) => {
    reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8');
    const url = baseUrlOf(env, request);
    const version = versionOf(request);
    const { documentFor, frameFor } = descriptions(version);
    if (demo === null || !isLocal(request) || version !== newestVersion) {
      return sendPacked(request, reply, await documentFor(url));
    }
    await demo.recordsMade;
    const examples = await withLiveRecords(await examplesFor(url), app, demo);
    return reply.send(JSON.stringify(withExamples(await frameFor(url), examples)));
  });
  for (const { path, type } of exportsOfTheDocument) {
    registerPage(app, path, async (request, reply) => {
      const textFor = descriptions(versionOf(request)).texts.get(path);
      if (!textFor) throw new Error(`${path} has no text`);
      reply.header('cache-control', 'no-cache').type(type);
      return sendPacked(request, reply, await textFor(baseUrlOf(env, request)));
    });
  }
};

/** The version of `/v3` that a reader asks for (`?version=`); one that there is not is the newest. */
function versionOf({ query }: Pick<FastifyRequest, 'query'>): string {
  const { version } = query as { version?: unknown };
  return typeof version === 'string' && knownVersions.includes(version) ? version : newestVersion;
}

/** Made when a version is asked for first. */
function eachVersion<T>(make: (version: string) => T): (version: string) => T {
  const made = new Map<string, T>();
  return (version) => {
    const known = made.get(version) ?? make(version);
    made.set(version, known);
    return known;
  };
}

/** The same for the operator's interface, under a path of its own. */
export async function operatorDocsRoom(app: FastifyInstance, env: Environment): Promise<void> {
  const documentFor = rememberLast(() => '')(async (url) => pack(JSON.stringify(operatorDocument(env, url))));
  for (const path of ['/operator/openapi.json', '/operator/docs/openapi.json']) {
    registerPage(app, path, async (request, reply) => {
      reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8');
      return sendPacked(request, reply, await documentFor(baseUrlOf(env, request)));
    });
  }
  registerReference(app, env, '/operator', () => null);
}

/** The page and its script below `base`; `fill` returns what the page has filled in for a request. */
function registerReference(
  app: FastifyInstance,
  env: Environment,
  base: string,
  fill: (request: FastifyRequest) => object | null,
): void {
  registerPage(app, `${base}/docs`, async (request, reply) => {
    const { page } = await apiReference();
    const nonce = randomBytes(18).toString('base64url');
    return reply
      .header('cache-control', 'no-store')
      .header('content-security-policy', policy(baseUrlOf(env, request), nonce))
      .type('text/html; charset=utf-8')
      .send(page(fill(request), nonce, versionOf(request) === newestVersion ? null : versionOf(request)));
  });
  registerPage(app, `${base}/docs/`, (_request, reply) => reply.redirect('../docs', 301));
  for (const name of ['script', 'start'] as const) {
    registerPage(app, `${base}/docs/${name === 'script' ? 'scalar' : name}.js`, async (request, reply) => {
      // The page names the script with its version, so a browser may keep it for good.
      reply.header('cache-control', 'public, max-age=31536000, immutable').type('text/javascript; charset=utf-8');
      return sendPacked(request, reply, (await apiReference())[name]);
    });
  }
}

/** With the guides before everything else. */
async function withGuides(document: OpenApiDocument, url: string): Promise<OpenApiDocument> {
  const { info } = document;
  const description = [info.description, otherFormats, await readGuides(url)].join('\n\n');
  return { ...document, info: { ...info, description } };
}

const otherFormats = `The same as [OpenAPI 3.1](openapi.json), as a [Postman collection](postman.json), and [for language models](llms.txt).
Of other versions of \`/v3\`: ${knownVersions.map((version) => `[${version}](docs?version=${version})`).join(', ')}.`;

/** The same document for other readers: people's API clients, and language models. */
const exportsOfTheDocument = [
  { path: '/postman.json', type: 'application/json; charset=utf-8', render: postmanCollection },
  { path: '/llms.txt', type: 'text/plain; charset=utf-8', render: llmsText },
] as const;

const today = ({ clock }: Environment): string => clock.now().toISOString().slice(0, 10);

/** Only the server's address and the day differ between two documents, and they hardly ever do. */
const rememberLast =
  (day: () => string) =>
  <T>(make: (url: string) => Promise<T>): ((url: string) => Promise<T>) => {
    let last: { key: string; made: Promise<T> } | undefined;
    return (url) => {
      const key = `${url} ${day()}`;
      if (last?.key !== key) last = { key, made: make(url) };
      return last.made;
    };
  };

/** The browser itself sees to it that the page runs the scripts of this server only, and talks to nobody else. */
const policy = (baseUrl: string, nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ${URL.canParse(baseUrl) ? new URL(baseUrl).origin : ''}`,
    "worker-src 'self' blob:",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
