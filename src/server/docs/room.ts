/** `/openapi.json` and `/docs`: the interface, described by the declarations that also run it. */
import type { FastifyInstance } from 'fastify';
import type { Environment } from '../../environment.ts';
import { baseUrlOf } from '../../platform/base-url.ts';
import { registerPage } from '../pages.ts';
import { openApiDocument } from './document.ts';
import { type Packed, pack, sendPacked } from './packed.ts';
import { apiReference } from './reference.ts';

export async function docsRoom(app: FastifyInstance, env: Environment): Promise<void> {
  const documentFor = rememberLast((url) => pack(JSON.stringify(openApiDocument(env, url))));
  registerPage(app, '/openapi.json', async (request, reply) => {
    reply
      .header('cache-control', 'no-cache')
      .header('access-control-allow-origin', '*')
      .type('application/json; charset=utf-8');
    return sendPacked(request, reply, await documentFor(baseUrlOf(env, request)));
  });
  registerPage(app, '/docs', async (request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .header('content-security-policy', policy(baseUrlOf(env, request)))
      .type('text/html; charset=utf-8')
      .send((await apiReference()).page),
  );
  registerPage(app, '/docs/', (_request, reply) => reply.redirect('../docs', 301));
  registerPage(app, '/docs/scalar.js', async (request, reply) => {
    // The page names the script with its version, so a browser may keep it for good.
    reply.header('cache-control', 'public, max-age=31536000, immutable').type('text/javascript; charset=utf-8');
    return sendPacked(request, reply, (await apiReference()).script);
  });
}

/** Only the server's address differs between two documents, and it hardly ever does. */
function rememberLast(make: (url: string) => Promise<Packed>): (url: string) => Promise<Packed> {
  let last: { url: string; made: Promise<Packed> } | undefined;
  return (url) => {
    if (last?.url !== url) last = { url, made: make(url) };
    return last.made;
  };
}

/** The browser itself sees to it that the page talks to nobody but this server. */
const policy = (baseUrl: string): string =>
  [
    "default-src 'self'",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ${URL.canParse(baseUrl) ? new URL(baseUrl).origin : ''}`,
    "frame-ancestors 'self'",
  ].join('; ');
