/** Reports that come before the provider has answered. */
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Answer, VerificationClient } from '../../../test/support/verification-client.ts';
import { startVerificationServer, type VerificationServer } from '../../../test/support/verification-server.ts';
import { saveProvider, saveRoute } from './delivery/manage-providers.ts';
import { closeProviders } from './delivery/opened-providers.ts';

/** A provider that has delivered the message before it answers: the user is faster than its response. */
let provider: Server;
let server: VerificationServer;
let client: VerificationClient;
let delivered: PromiseWithResolvers<string>;
let answered: PromiseWithResolvers<void>;
let last = 0;

beforeAll(async () => {
  provider = createServer((request, response) => {
    let code = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      code += chunk;
    });
    request.on('end', async () => {
      delivered.resolve(code);
      await answered.promise;
      response.end('taken');
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const address = provider.address();
  server = await startVerificationServer({ name: 'production' });
  client = await server.client();
  const settings = { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`, body: '{{CODE}}' };
  await saveProvider(server.env, { name: 'slow', kind: 'http', settings });
  await saveRoute(server.env, { deliveryMethod: 'sms', prefix: '', provider: 'slow' }, 1);
});
beforeEach(() => {
  delivered = Promise.withResolvers();
  answered = Promise.withResolvers();
});
afterAll(async () => {
  answered.resolve();
  await closeProviders(server.env);
  await server.close();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});

async function onTheHandset() {
  const destination = `49151${String(++last).padStart(8, '0')}`;
  const id = (await client.start({ destination, delivery_method: 'sms' })).body.data?.id ?? '';
  const dispatched = server.dispatch();
  const code = await delivered.promise;
  const end = async () => {
    answered.resolve();
    await dispatched;
  };
  return { id, code, wrong: code === '000000' ? '111111' : '000000', end };
}
const resultOf = ({ status, body }: Answer) => [status, body.errors?.[0]?.code ?? body.data?.status];
const rowOf = (id: string) =>
  server.env.db.selectFrom('verifications').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

it('a right code is accepted while the provider has not answered, after wrong ones that cost nothing', async () => {
  const { id, code, wrong, end } = await onTheHandset();
  for (let n = 0; n < 4; n++) expect(resultOf(await client.report(id, wrong))).toEqual([422, 'not_ready_to_report']);
  expect((await rowOf(id)).wrong_reports).toBe(0);
  expect(resultOf(await client.report(id, code))).toEqual([200, 'verified']);
  await end();
  expect(await rowOf(id)).toMatchObject({ status: 'verified', error_code: null });
});

it('early reports are no free guesses: after ten nothing is compared until the dispatch is noted', async () => {
  const { id, code, wrong, end } = await onTheHandset();
  const guesses = await Promise.all(Array.from({ length: 25 }, () => client.report(id, wrong)));
  expect(new Set(guesses.map((guess) => resultOf(guess)[1]))).toEqual(new Set(['not_ready_to_report']));
  expect((await rowOf(id)).early_reports).toBe(10);
  expect(resultOf(await client.report(id, code))).toEqual([422, 'not_ready_to_report']);
  await end();
  expect(resultOf(await client.report(id, wrong))).toEqual([422, 'code_invalid']);
  expect(resultOf(await client.report(id, code))).toEqual([200, 'verified']);
});
