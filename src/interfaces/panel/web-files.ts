/**
 * The panel's pages at `/`. Every address of the panel is the same small HTML file; its scripts and styles have names
 * that change with their content, so browsers keep them for good.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Environment } from '../../engines/environment.ts';
import { chooseEncoding } from '../../engines/jsonapi/accept-encoding.ts';
import { customerSections } from './pages/customers.ts';
import { linkedPages } from './pages/linked.ts';
import { operatorSections } from './pages/operators.ts';
import type { PageSection } from './pages/page-section.ts';
import { distFolder, ensureBuilt } from './web-build.ts';

/** The first words of the panel's addresses; what is below them is the panel's as well. */
export const panelPaths = [
  ...addressesOf(customerSections).filter((path) => path !== ''),
  ...linkedPages.map(withoutSlash),
];

/** The operator's pages; `/operator/v1` and `/operator/docs` are beside them. */
export const operatorPaths = addressesOf(operatorSections).filter((path) => path !== 'operator');

function addressesOf(sections: readonly PageSection[]): string[] {
  return sections.flatMap(({ pages }) => pages.map(withoutSlash));
}

function withoutSlash({ path }: { path: string }): string {
  return path.slice(1);
}

interface WebFile {
  type: string;
  plain: Buffer;
  packed: Readonly<Record<'br' | 'gzip', Buffer>> | null;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Styles may be inline: Mantine writes its variables and sizes as style elements and attributes. Scripts may not. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const safety = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(self), geolocation=()',
};

let loading: Promise<ReadonlyMap<string, WebFile>> | undefined;

/** Built if need be, and read once. A start begins with it after its ports are open; a request waits for it. */
export function webFiles(): Promise<ReadonlyMap<string, WebFile>> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function load(): Promise<ReadonlyMap<string, WebFile>> {
  await ensureBuilt();
  const names = (await readdir(distFolder, { recursive: true })).map((name) => name.replaceAll(path.sep, '/'));
  const read = (name: string) => readFile(path.join(distFolder, name));
  const files = names.flatMap((name) => {
    const type = types[path.extname(name)];
    return type === undefined ? [] : [{ name, type }];
  });
  const loaded = await Promise.all(
    files.map(async ({ name, type }): Promise<[string, WebFile]> => {
      const packed = names.includes(`${name}.br`)
        ? { br: await read(`${name}.br`), gzip: await read(`${name}.gz`) }
        : null;
      return [`/${name}`, { type, plain: await read(name), packed }];
    }),
  );
  return new Map(loaded);
}

/** The page of a server whose public URL may have a path: a proxy removes that path, so the page has to say it. */
function pageUnder(publicUrl: string | null): (page: WebFile) => WebFile {
  const prefix = publicUrl === null ? '' : new URL(publicUrl).pathname.replace(/\/+$/, '');
  const known = new WeakMap<WebFile, WebFile>();
  return (page) => {
    const written = known.get(page) ?? { ...page, plain: Buffer.from(withPrefix(page.plain, prefix)), packed: null };
    known.set(page, written);
    return written;
  };
}

/** The build names its files relative to the page, whose own address has any number of parts. */
function withPrefix(page: Buffer, prefix: string): string {
  const quoted = prefix.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return page
    .toString('utf8')
    .replaceAll('"./assets/', `"${quoted}/assets/`)
    .replace('name="trunkline-base" content=""', `name="trunkline-base" content="${quoted}"`);
}

export function registerWebFiles(app: FastifyInstance, { publicUrl }: Pick<Environment, 'publicUrl'>): void {
  const written = pageUnder(publicUrl);
  const page = async (request: FastifyRequest, reply: FastifyReply) => {
    const file = (await webFiles().catch((error) => noPages(request, error)))?.get('/index.html');
    reply.headers(safety).header('cache-control', 'no-cache');
    return file === undefined
      ? reply.code(503).type('text/html; charset=utf-8').send(notBuilt)
      : send(request, reply, written(file));
  };
  const below = [...panelPaths, ...operatorPaths].flatMap((name) => [`/${name}`, `/${name}/*`]);
  for (const url of ['/', '/operator', ...below]) app.get(url, page);
  app.get('/assets/*', async (request, reply) => {
    const file = (await webFiles().catch((error) => noPages(request, error)))?.get(request.url.split('?', 1)[0] ?? '');
    if (file === undefined) return reply.code(404).headers(safety).send({ error: 'Not found' });
    return send(request, reply.headers(safety).header('cache-control', 'public, max-age=31536000, immutable'), file);
  });
}

function noPages(request: FastifyRequest, error: unknown): null {
  request.log.error({ err: error }, 'the panel has no pages');
  return null;
}

function send(request: FastifyRequest, reply: FastifyReply, { type, plain, packed }: WebFile): FastifyReply {
  const encoding = packed === null ? null : chooseEncoding(request.headers['accept-encoding'], ['br', 'gzip']);
  reply.type(type).header('vary', 'accept-encoding');
  if (packed === null || encoding === null) return reply.send(plain);
  return reply.header('content-encoding', encoding).send(packed[encoding]);
}

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Trunkline</title>
<h1>Trunkline</h1>
<p>The panel is not built. Run <code>npm ci</code> with all packages, or <code>npm run panel</code>, and start again.</p>
<p>The number platform answers under <code>/v3</code>, phone verification under <code>/api/v1</code>; see the
<a href="/docs">API reference</a>.</p>
</html>
`;
