/** The examples of the API reference are recorded from a real server; this test records them again and compares. */
import { readFile, writeFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { updateAccount } from '../../src/business/accounts/accounts.ts';
import { createApiKey } from '../../src/business/accounts/api-keys.ts';
import { loadDemoCatalogue } from '../../src/business/catalogue/load-demo.ts';
import { withExamples } from '../../src/engines/openapi/examples.ts';
import type { Content, OpenApiDocument, Schema } from '../../src/engines/openapi/types.ts';
import { examplesFile, openApiDocument, readExamples } from '../../src/interfaces/server/docs/document.ts';
import { createApplication } from '../../src/interfaces/verification/application.writes.ts';
import { testKeys } from '../support/encrypted-upload.ts';
import { Recorder } from '../support/recorder.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { tellStory } from './story/story.ts';

const document = openApiDocument({ name: 'sandbox' }, 'http://127.0.0.1');
const howToRefresh =
  'The recorded examples differ; refresh them with: RECORD_EXAMPLES=1 npx vitest run --project whole test/docs/examples.test.ts';

let server: TestServer;
let recorder: Recorder;
beforeAll(async () => {
  server = await startTestServer({ account: { balance: '1000' }, worlds: true });
  await loadDemoCatalogue(server.env);
  await testKeys(server.env);
  const { key, secret } = await createApplication(server.env, server.accountId, { name: 'web' });
  recorder = new Recorder({ url: server.url, key: server.key, document, tick: () => server.clock.advance(0.001) });
  await tellStory(recorder, document, { key, secret: secret.reveal() });
  await recordWhatTheOperatorCauses();
});
afterAll(() => server?.close());

async function recordWhatTheOperatorCauses(): Promise<void> {
  await updateAccount(server.env, server.accountId, { features: { emergency: false } });
  await vi.waitFor(async () => expect((await server.client.get('/emergency_requirements')).status).toBe(403), 120_000);
  await recorder.send('GET', '/v3/emergency_requirements', { as: '403 Forbidden', refused: true });
  const { key } = await createApiKey(server.env, server.accountId, { name: 'slow', rateLimit: 1 });
  const headers = { 'api-key': key };
  await Promise.all([1, 2, 3].map(() => server.client.get('/balance', { headers })));
  await recorder.send('GET', '/v3/balance', { as: '429 Too many requests', headers, refused: true });
}

describe('the examples of the API reference', () => {
  test('are requests that a fresh server accepts, and errors that it gives', () => {
    expect(recorder.surprises).toEqual([]);
  });

  test('are what the server answers now', async () => {
    const recorded = recorder.normalised();
    if (process.env.RECORD_EXAMPLES) await writeFile(examplesFile, format(recorded));
    expect(recorded, howToRefresh).toEqual(JSON.parse(await readFile(examplesFile, 'utf8')));
  });
});

describe('the document with its examples', () => {
  const exemplified = async () => withExamples(document, await readExamples('http://127.0.0.1', '2026-06-15'));

  test('has an example for every request body and every response', async () => {
    const { paths, components } = await exemplified();
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const gaps = operations.flatMap(({ operationId, requestBody, responses }) => [
      ...(lacksExample(requestBody) ? [`${operationId}: request`] : []),
      ...Object.entries(responses).flatMap(([status, response]) =>
        !('$ref' in response) && !unrecorded.has(status) && lacksExample(response) ? [`${operationId}: ${status}`] : [],
      ),
    ]);
    const shared = Object.entries(components.responses ?? {}).filter(
      ([name, response]) => name !== unrecordedResponse && lacksExample(response),
    );
    expect([...gaps, ...shared.map(([name]) => name)]).toEqual([]);
  });

  test('has several ways to order, by name, and errors by their codes', async () => {
    const { paths, components } = await exemplified();
    const orders = paths['/v3/orders']?.post?.requestBody?.content['application/vnd.api+json'];
    expect(Object.keys(orders?.examples ?? {})).toEqual([
      'by_sku',
      'a_chosen_number',
      'a_reserved_number',
      'by_nanpa_prefix',
      'a_back_order',
      'channel_capacity',
    ]);
    const refused = components.responses?.bad_request?.content?.['application/vnd.api+json'];
    expect(Object.keys(refused?.examples ?? {})).toEqual(
      expect.arrayContaining(['102_filter_not_allowed', '105_param_not_allowed', '400_insufficient_balance']),
    );
  });

  test('is valid OpenAPI, and its examples fit their schemas', async () => {
    const whole = await exemplified();
    expect(await new Validator().validate(structuredClone(whole))).toEqual({ valid: true });
    const fits = fitsSchema(whole);
    const operations = Object.values(whole.paths).flatMap((item) => Object.values(item));
    const contents = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((each) =>
        each && 'content' in each ? Object.values(each.content ?? {}).map((content) => ({ operationId, content })) : [],
      ),
    );
    const misfits = contents.flatMap(({ operationId, content }) =>
      Object.entries(content.examples ?? {}).flatMap(([name, { value }]) =>
        fits(content.schema, value) ? [] : [`${operationId}: ${name}`],
      ),
    );
    expect(misfits).toEqual([]);
  });
});

/** What only the operator or a lack of money or time causes; `403` and `429` are recorded for `/v3`. */
const unrecorded = new Set(['402', '403', '429', '500', '503']);
const unrecordedResponse = 'unavailable';

const lacksExample = (target: { content?: Readonly<Record<string, Content>> } | undefined): boolean =>
  Object.entries(target?.content ?? {}).some(
    ([media, { examples }]) => (media.endsWith('json') || media === 'multipart/form-data') && !examples,
  );

function fitsSchema(whole: OpenApiDocument): (schema: Schema, value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ components: whole.components }, 'document');
  return (schema, value) =>
    ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')), value) === true;
}

/** A line for each exchange, so that a change can be read. */
function format(exchanges: Record<string, unknown[]>): string {
  const operations = Object.entries(exchanges).map(
    ([id, list]) => `  ${JSON.stringify(id)}: [\n${list.map((each) => `    ${JSON.stringify(each)}`).join(',\n')}\n  ]`,
  );
  return `{\n${operations.join(',\n')}\n}\n`;
}
