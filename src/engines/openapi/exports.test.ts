/** Examples in the document, and the collections made from it. */
import { describe, expect, test } from 'vitest';
import { withExamples } from './examples.ts';
import { llmsText } from './llms.ts';
import { postmanCollection } from './postman.ts';
import type { OpenApiDocument } from './types.ts';

const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } } as const;
const json = { 'application/json': { schema: { $ref: '#/components/schemas/book' } } };
const document: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Library', version: '1', description: 'Books.' },
  servers: [{ url: 'http://library.example' }],
  tags: [{ name: 'Books', description: 'What is read.' }, { name: 'Unused' }],
  paths: {
    '/books/{id}': {
      patch: {
        operationId: 'update_books',
        summary: 'Update a book',
        tags: ['Books'],
        security: [{ api_key: [] }],
        parameters: [id, { name: 'filter[title]', in: 'query', schema: { type: 'string' } }],
        requestBody: { required: true, content: json },
        responses: { 200: { description: 'The book.', content: json }, 404: { $ref: '#/components/responses/gone' } },
      },
      put: {
        operationId: 'replace_books',
        summary: 'Update a book (PUT)',
        tags: ['Books'],
        deprecated: true,
        requestBody: { required: true, content: json },
        responses: {},
      },
    },
  },
  components: {
    schemas: { books_attributes: { properties: { title: { description: 'Its title.' } } } },
    responses: { gone: { description: 'Gone.', content: json } },
  },
};
const exchange = { path: { id: '7' }, query: null };
const whole = withExamples(document, {
  update_books: [
    { ...exchange, name: 'A new title', request: { title: 'B' }, status: 200, response: { id: '7' } },
    { ...exchange, name: '404 Gone', status: 404, response: { errors: [] } },
  ],
});
const patch = whole.paths['/books/{id}']?.patch;

describe('examples', () => {
  test('stand at the request, the response and the path parameter', () => {
    const named = { a_new_title: { summary: 'A new title', value: { title: 'B' } } };
    expect(patch?.requestBody?.content['application/json']?.examples).toEqual(named);
    expect(patch?.responses['200']).toMatchObject({
      content: { 'application/json': { examples: { a_new_title: { value: { id: '7' } } } } },
    });
    expect(patch?.parameters?.[0]).toMatchObject({ example: '7' });
  });

  test('of errors stand at the response that all operations share', () => {
    const { content } = whole.components.responses?.gone ?? {};
    expect(content?.['application/json']?.examples).toEqual({
      '404_gone': { summary: '404 Gone', value: { errors: [] } },
    });
  });

  test('of PATCH are those of PUT', () => {
    const content = whole.paths['/books/{id}']?.put?.requestBody?.content['application/json'];
    expect(Object.keys(content?.examples ?? {})).toEqual(['a_new_title']);
  });
});

test('a Postman collection has a folder for each tag, and requests that can be sent', () => {
  const collection = JSON.parse(postmanCollection(whole));
  expect(collection.info.schema).toContain('v2.1.0');
  expect(collection.item.map(({ name }: { name: string }) => name)).toEqual(['Books']);
  expect(collection.item[0].item).toHaveLength(1);
  expect(collection.item[0].item[0].request).toMatchObject({
    method: 'PATCH',
    url: { raw: '{{base_url}}/books/:id', variable: [{ key: 'id', value: '7' }] },
    body: { mode: 'raw', raw: '{\n  "title": "B"\n}' },
  });
});

test('a form in a Postman collection has its texts filled in and asks for its file', () => {
  const properties = { note: { type: 'string' }, scan: { type: 'string', format: 'binary' } };
  const content = { 'multipart/form-data': { schema: { type: 'object', properties } } };
  const post = { operationId: 'create_scans', summary: 'Upload', tags: ['Books'], responses: {} };
  const scans = { '/scans': { post: { ...post, requestBody: { required: true, content } } } };
  const request = { note: 'Title page', scan: 'title.pdf' };
  const examples = { create_scans: [{ ...exchange, name: 'A scan', request, status: 201 }] };
  const form = withExamples({ ...document, paths: scans }, examples);
  const examplesOf = form.paths['/scans']?.post?.requestBody?.content['multipart/form-data']?.examples;
  expect(examplesOf).toEqual({ a_scan: { summary: 'A scan', value: request } });
  expect(JSON.parse(postmanCollection(form)).item[0].item[0].request).toMatchObject({
    header: [{ key: 'Accept' }],
    body: {
      mode: 'formdata',
      formdata: [
        { key: 'note', type: 'text', value: 'Title page' },
        { key: 'scan', type: 'file', src: 'title.pdf' },
      ],
    },
  });
});

test('the text for language models names operations, bodies and members', () => {
  const text = llmsText(whole);
  expect(text).toContain('# Library 1');
  expect(text).toContain('`PATCH /books/{id}`');
  expect(text).toContain('A new title: `{"title":"B"}`');
  expect(text).toContain('- `title`: Its title.');
});
