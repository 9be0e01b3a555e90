/** The pages of the documentation as routes: `/docs` and what lies below it, with its style and script. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '../../../engines/environment.ts';
import type { OpenApiDocument } from '../../../engines/openapi/types.ts';
import { baseUrlOf } from '../../platform/context.ts';
import { registerPage } from '../pages.ts';
import { type Packed, pack, sendPacked } from './packed.ts';
import type { Site, SiteOptions } from './site.ts';

/** What differs between the documentation of customers and of operators. */
interface Documentation {
  /** `''` or `/operator`. */
  base: string;
  options: Pick<SiteOptions, 'audience' | 'home' | 'versions'>;
  /** Of these addresses of this server. */
  guides(url: string): Promise<SiteOptions['guides']>;
  /** The version that a request is for; null where there is one alone. */
  versionOf(request: FastifyRequest): string | null;
  /** The document, and what the pages have filled in, which is then for this visitor alone. */
  describe(request: FastifyRequest): Promise<{ document: OpenApiDocument; access: SiteOptions['access'] }>;
  /** The same document for everybody, the rest of a path that is not filled in. */
  isShared(request: FastifyRequest): boolean;
}

/** What every page loads, by name. The version changes when one of them does. */
interface Assets {
  version: string;
  files: ReadonlyMap<string, Packed>;
}

const folder = new URL('./assets/', import.meta.url);
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

let loading: Promise<Assets> | undefined;

/** Read by the first visitor. */
function assets(): Promise<Assets> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<Assets> {
  const names = (await readdir(folder)).filter((name) => types[path.extname(name)] !== undefined).sort();
  const packed = await Promise.all(names.map(async (name) => pack(await readFile(new URL(name, folder)))));
  const { version } = await pack(packed.map((each) => each.version).join());
  return { version, files: new Map(packed.map((each, index) => [names[index] ?? '', each])) };
}

/** The most pages that are kept, compressed: two addresses' worth of them. */
const mostKept = 100;

export function registerDocumentation(app: FastifyInstance, env: Environment, documentation: Documentation): void {
  const { base } = documentation;
  const kept = new Map<string, { document: OpenApiDocument; packed: Packed }>();
  const site = async (request: FastifyRequest) => {
    const { document, access } = await documentation.describe(request);
    return { document, site: await siteFor(env, documentation, request, document, access) };
  };
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
    make: (site: Site) => string | null,
  ) => {
    const { document, site: made } = await site(request);
    const name = `${documentation.versionOf(request)} ${baseUrlOf(env, request)} ${key}`;
    const known = documentation.isShared(request) ? kept.get(name) : undefined;
    if (known?.document === document) return sendPacked(request, reply, known.packed);
    const text = make(made);
    if (text === null) return reply.code(404).header('content-type', 'text/plain; charset=utf-8').send(noSuchPage);
    const packed = await pack(text);
    if (documentation.isShared(request)) {
      if (kept.size >= mostKept) kept.clear();
      kept.set(name, { document, packed });
    }
    return sendPacked(request, reply, packed);
  };
  const page = (route: string, pathOf: (request: FastifyRequest) => string) =>
    registerPage(app, `${base}${route}`, async (request, reply) => {
      reply
        .header('cache-control', documentation.isShared(request) ? 'no-cache' : 'no-store')
        .header('content-security-policy', policy(baseUrlOf(env, request)))
        .type('text/html; charset=utf-8');
      const path = pathOf(request);
      return send(request, reply, path, (made) => made.page(path));
    });
  page('/docs', () => '');
  registerPage(app, `${base}/docs/`, (_request, reply) => reply.redirect('../docs', 301));
  for (const folder of ['guides', 'reference']) {
    page(`/docs/${folder}/:name`, ({ params }) => `${folder}/${(params as { name: string }).name}`);
  }
  registerPage(app, `${base}/docs/search.json`, async (request, reply) => {
    reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8');
    return send(request, reply, 'search.json', (made) => JSON.stringify(made.search()));
  });
  registerPage(app, `${base}/docs/assets/:version/:name`, async (request, reply) => {
    const { version, name } = request.params as { version: string; name: string };
    const current = await assets();
    const file = current.files.get(name);
    if (file === undefined) return reply.code(404).type('text/plain; charset=utf-8').send(noSuchPage);
    // A page of the release before may still ask.
    const isCurrent = version === current.version;
    reply.header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache');
    return sendPacked(request, reply.type(types[path.extname(name)] ?? ''), file);
  });
}

const noSuchPage = 'There is no such page; /docs lists all of them.\n';

async function siteFor(
  env: Environment,
  { options, guides, versionOf }: Documentation,
  request: FastifyRequest,
  document: OpenApiDocument,
  access: SiteOptions['access'],
): Promise<Site> {
  // Markdown and its colours are loaded by the first visitor: a start should not pay for them.
  const [{ siteOf }, { version }] = await Promise.all([import('./site.ts'), assets()]);
  return siteOf(document, {
    ...options,
    name: document.info.title,
    guides: await guides(baseUrlOf(env, request)),
    version: versionOf(request),
    assets: version,
    access,
  });
}

/** The browser itself sees to it that a page runs the script of this server only, and talks to nobody else. */
const policy = (baseUrl: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${URL.canParse(baseUrl) ? new URL(baseUrl).origin : ''}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
