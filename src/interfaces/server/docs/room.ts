/**
 * `/openapi.json`, `/docs`, `/operator/docs`, `/postman.json`, `/llms.txt`: the interface, described by the
 * declarations that also run it.
 */
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
import { guides, openApiDocument, readExamples, readGuide, readGuides } from './document.ts';
import { withLiveRecords } from './live-examples.ts';
import { pack, sendPacked } from './packed.ts';
import { registerDocumentation } from './reference.ts';

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
    return { frameFor, shown: remember(describe), documentFor: packed(JSON.stringify), texts };
  });
  registerPage(app, '/openapi.json', async (request, reply) => {
    const described = descriptions(versionOf(request));
    reply
      .header('cache-control', 'no-cache')
      .header('access-control-allow-origin', '*')
      .type('application/json; charset=utf-8');
    return sendPacked(request, reply, await described.documentFor(baseUrlOf(env, request)));
  });
  const fillsIn = (request: FastifyRequest) => demo !== null && isLocal(request);
  // With ids that work for the demo account, and not for pages of other origins.
  const withRecords = async (url: string, access: DemoAccess): Promise<OpenApiDocument> => {
    await access.recordsMade;
    const examples = await withLiveRecords(await examplesFor(url), app, access);
    return withExamples(await descriptions(newestVersion).frameFor(url), examples);
  };
  const describeFor = async (request: FastifyRequest): Promise<OpenApiDocument> => {
    const version = versionOf(request);
    const url = baseUrlOf(env, request);
    return demo !== null && fillsIn(request) && version === newestVersion
      ? withRecords(url, demo)
      : descriptions(version).shown(url);
  };
  registerDocumentation(app, env, {
    base: '',
    options: {
      audience: env.name === 'sandbox' ? 'Sandbox' : 'Production',
      home: '',
      versions: [...knownVersions].reverse(),
    },
    guides: (url) => Promise.all(guides.map(async (name) => ({ name, text: await readGuide(name, url) }))),
    versionOf,
    isShared: (request) => !fillsIn(request),
    describe: async (request) => ({
      document: await describeFor(request),
      access: demo !== null && fillsIn(request) ? filledIn(demo) : null,
    }),
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
  const remember = rememberLast(() => '');
  const shown = remember(async (url) => operatorDocument(env, url));
  const documentFor = remember(async (url) => pack(JSON.stringify(await shown(url))));
  registerPage(app, '/operator/openapi.json', async (request, reply) => {
    reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8');
    return sendPacked(request, reply, await documentFor(baseUrlOf(env, request)));
  });
  registerDocumentation(app, env, {
    base: '/operator',
    options: { audience: 'Operators', home: '../', versions: [] },
    guides: async () => [],
    versionOf: () => null,
    isShared: () => true,
    describe: async (request) => ({ document: await shown(baseUrlOf(env, request)), access: null }),
  });
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
