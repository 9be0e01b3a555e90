/** Media types and documents of request bodies. */
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type ApiClient, jsonApiType } from '../../../test/support/client.ts';
import { annaId, openLibrary } from '../../../test/support/library/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const library = useOpened(() => openLibrary());
let anna: ApiClient;
let shelf: string;

beforeAll(async () => {
  anna = library.anna;
  shelf = (await anna.post('/shelves', { data: { type: 'shelves', attributes: { name: 'First' } } })).resource.id;
});

const line = (answer: Answer) => [
  answer.status,
  ...answer.errors.map(({ code, title, detail }) => [code, title, detail].join(' | ')),
];

describe('bodies', () => {
  const good = JSON.stringify({ data: { type: 'shelves', attributes: { name: 'Body' } } });

  test.each(['application/json', 'application/vnd.api+json; charset=utf-8', 'text/plain', ''])(
    '415: %j',
    async (type) => {
      const answer = await anna.post('/shelves', undefined, { rawBody: good, headers: { 'content-type': type } });
      const detail = `All requests that create or update must use the 'application/vnd.api+json' Content-Type. This request specified '${type}'.`;
      expect(line(answer)).toEqual([415, `415 | Unsupported media type | ${detail}`]);
    },
  );

  test('415 on an update too', async () => {
    const answer = await anna.patch(`/shelves/${shelf}`, {}, { headers: { 'content-type': 'application/json' } });
    expect(answer.status).toBe(415);
  });

  test.each(['{"data":', 'data', '{"data":{},}', '\u0000', '{"data":{"type":"\\ud800"}}', '{"\\udc00":1}'])(
    '400 what is no JSON: %j',
    async (rawBody) => {
      expect(line(await anna.post('/shelves', undefined, { rawBody }))).toEqual([
        400,
        '400 | Bad Request | The request body is not valid JSON.',
      ]);
    },
  );

  test.each(['{"data":{"type":"a\\u0000"}}', '{"\\u0000":1}'])('400 NUL in any string: %j', async (rawBody) => {
    expect(line(await anna.post('/shelves', undefined, { rawBody }))).toEqual([
      400,
      '400 | Bad Request | The request body holds a NUL character.',
    ]);
  });

  test('400 bytes that are not UTF-8, instead of storing them as another text', async () => {
    const response = await fetch(`${anna.baseUrl}/shelves`, {
      method: 'POST',
      headers: { 'content-type': jsonApiType, 'api-key': annaId },
      body: Buffer.from('{"data":{"type":"shelves","attributes":{"name":"caf\xe9"}}}', 'latin1'),
    });
    expect(response.status).toBe(400);
  });

  test('106 no body at all', async () => {
    const answer = await anna.request('POST', '/shelves', undefined, {
      headers: { 'content-type': 'application/vnd.api+json' },
    });
    expect(line(answer)).toEqual([400, '106 | Missing Parameter | The required parameter, data, is missing.']);
  });

  test('413 over one mebibyte, and not under it', async () => {
    const sized = (bytes: number) => `${good.slice(0, -3)}${' '.repeat(bytes - good.length)}${good.slice(-3)}`;
    const answer = await anna.post('/shelves', undefined, { rawBody: sized(1_048_577) });
    expect(line(answer)).toEqual([413, '413 | Payload Too Large | The request body may hold at most 1 MiB.']);
    expect((await anna.post('/shelves', undefined, { rawBody: sized(1_048_576) })).status).toBe(201);
  });
});
