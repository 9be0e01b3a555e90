/** `/openapi.json` and `/docs`: the interface, described by the declarations that also run it. */
import type { FastifyInstance } from 'fastify';
import type { Environment } from '../../environment.ts';
import { baseUrlOf } from '../base-url.ts';
import { registerPage } from '../pages.ts';
import { openApiDocument } from './document.ts';
import { apiReference } from './reference.ts';

export async function docsRoom(app: FastifyInstance, env: Environment): Promise<void> {
  registerPage(app, '/openapi.json', (request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .header('access-control-allow-origin', '*')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(openApiDocument(env, baseUrlOf(env, request)))),
  );
  registerPage(app, '/docs', async (request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .header('content-security-policy', policy(baseUrlOf(env, request)))
      .type('text/html; charset=utf-8')
      .send((await apiReference()).page),
  );
  registerPage(app, '/docs/', (_request, reply) => reply.redirect('../docs', 301));
  registerPage(app, '/docs/scalar.js', async (request, reply) => {
    const { script, zipped } = await apiReference();
    const zip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    return reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('vary', 'accept-encoding')
      .headers(zip ? { 'content-encoding': 'gzip' } : {})
      .type('text/javascript; charset=utf-8')
      .send(zip ? zipped : script);
  });
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
