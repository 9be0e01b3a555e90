/** Endpoints that a product serves itself beside its types. */
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { engineContext } from '../../../test/support/engine-context.ts';
import { text } from './attributes.ts';
import { declare } from './declare.ts';
import { ApiError, errors } from './errors.ts';
import { type EngineContext, Registry } from './resource.ts';
import { registerResources } from './routes.ts';

const files = declare<EngineContext>('catalogue', 'files', {
  attributes: { name: text(), url: { ...text(), decode: (path: string, { baseUrl }) => `${baseUrl}${path}` } },
  ownRoutes: ['create'],
});

async function server() {
  const app = Fastify();
  registerResources(app, {
    registry: new Registry([files]),
    newestVersion: '1',
    bodyLimit: 10,
    commonHeaders: () => ({}),
    contextOf: async () => engineContext({ query: async () => [{ id: '1', name: 'a', url: '/b' }] }),
    extraRoutes: [
      (scope, contextOf) =>
        scope.post('/files', { config: { media: 'own' } }, async (request, reply) => {
          let bytes = 0;
          for await (const chunk of request.raw) bytes += chunk.length;
          if (bytes === 0) throw new ApiError([errors.badRequest('nothing sent')]);
          return reply.code(201).send({ bytes, version: contextOf(request).apiVersion });
        }),
    ],
  });
  await app.ready();
  return app;
}

test('a product may serve an endpoint itself, with any media type, an unread body, the caller and the errors of the engine', async () => {
  const app = await server();
  const big = await app.inject({
    method: 'POST',
    url: '/files',
    headers: { 'content-type': 'text/x' },
    payload: 'x'.repeat(5000),
  });
  expect([big.statusCode, big.json()]).toEqual([201, { bytes: 5000, version: '1' }]);
  const none = await app.inject({ method: 'POST', url: '/files' });
  expect([none.statusCode, none.json().errors[0].detail]).toEqual([400, 'nothing sent']);
});

test('an attribute can be made absolute with the address of the request', async () => {
  const app = await server();
  const answer = await app.inject({ url: '/files/00000000-0000-4000-8000-000000000000' });
  expect(answer.json().data.attributes.url).toBe('https://host/b');
});
