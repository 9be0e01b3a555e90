/** The root of a port, for someone who opens it in a browser. */
import type { FastifyInstance } from 'fastify';
import { registerPage } from './pages.ts';

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Trunkline</title>
<h1>Trunkline</h1>
<p>The number platform answers under <code>/v3</code>, phone verification under <code>/api/v1</code>.</p>
<p><a href="/docs">API reference</a></p>
</html>
`;

export function registerHome(app: FastifyInstance): void {
  registerPage(app, '/', (_request, reply) => reply.type('text/html; charset=utf-8').send(page));
}
