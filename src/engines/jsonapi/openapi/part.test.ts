/** The OpenAPI text that declarations give. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { resources } from '../../../../test/support/library/resources.ts';
import { composeOpenApi } from '../../openapi/compose.ts';
import type { Parameter, Schema } from '../../openapi/types.ts';
import { Registry } from '../resource.ts';
import { registryPart } from './part.ts';
import { pluralOf } from './titles.ts';

const part = registryPart(new Registry(resources), {
  prefix: '/library',
  versionHeader: 'X-Service-Api-Version',
  versions: ['2029-01-01', '2030-01-01'],
  pageSizes: { default: 50, max: 100 },
  tags: [{ name: 'Rooms' }, { name: 'Unused' }],
  securityScheme: { type: 'apiKey', in: 'header', name: 'api-key' },
});
const frame = {
  title: 'Library',
  version: '2030-01-01',
  description: '',
  serverUrl: 'http://x',
  serverDescription: '',
};
const document = composeOpenApi(frame, [part]);
const schemas = document.components.schemas ?? {};
const members = (schema: Schema | undefined) => Object.keys(schema?.properties ?? {});
const operation = (method: 'get' | 'post' | 'patch' | 'delete', path: string) =>
  document.paths[`/library${path}`]?.[method];
const parameter = (path: string, name: string): Parameter | undefined =>
  (operation('get', path)?.parameters ?? [])
    .map((each) => ('$ref' in each ? document.components.parameters?.[each.$ref.replace(/^.*\//, '')] : each))
    .find((each) => each?.name === name);

/** Whether a request body passes its schema. */
function accepts(name: string, data: object): boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  return ajv.validate({ $ref: `document#/components/schemas/${name}` }, { data }) as boolean;
}

test('the document of a registry is valid OpenAPI 3.1', async () => {
  expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
});

describe('schemas of a type', () => {
  test('name attributes, relationships and meta, and what is required of them', () => {
    expect(schemas.shelves).toMatchObject({
      description: 'Where books stand.',
      required: ['id', 'type', 'attributes', 'relationships', 'meta'],
      additionalProperties: false,
    });
    expect(members(schemas.shelves_attributes)).toEqual(['name', 'room', 'capacity', 'tags', 'lamp', 'created_at']);
    expect(schemas.shelves_attributes?.required).toEqual(members(schemas.shelves_attributes));
    expect(schemas.shelves_attributes?.properties?.room).toEqual({ type: ['string', 'null'] });
    expect(schemas.books_attributes?.properties?.price).toMatchObject({ type: 'string', pattern: expect.any(String) });
  });

  test('meta that depends on the record is not required', () => {
    expect(schemas.books?.required).not.toContain('meta');
    expect(members(schemas.books)).toContain('meta');
  });

  test('write-only members are in requests and nowhere else', () => {
    expect(members(schemas.books_attributes)).not.toContain('silent');
    expect(members(dataOf('books_create').attributes)).toContain('silent');
    expect(members(schemas.book_checks)).toEqual(['id', 'type']);
    expect(members(dataOf('book_checks_create').relationships)).toEqual(['book']);
    expect(members(schemas.paper_copies?.properties?.attributes)).toEqual(['qty', 'note']);
    expect(members(schemas.paper_copies_input?.properties?.attributes)).toEqual(['qty', 'supplier', 'donor']);
  });

  test('a polymorphic relationship links to either type', () => {
    expect(JSON.stringify(schemas.books_relationships?.properties?.keeper)).toMatch(
      /readers_identifier.*clubs_identifier/,
    );
  });

  const dataOf = (name: string) => schemas[name]?.properties?.data?.properties ?? {};
});

describe('request bodies', () => {
  const shelf = { shelf: { data: { type: 'shelves', id: 'x' } } };

  test('take what may be written at that time', () => {
    expect(accepts('shelves_create', { type: 'shelves', attributes: { name: 'x' } })).toBe(true);
    expect(accepts('shelves_update', { type: 'shelves', id: 'x', attributes: { room: null } })).toBe(true);
    expect(accepts('books_create', { type: 'books', attributes: { title: 'x' }, relationships: shelf })).toBe(true);
    expect(accepts('books_update', { type: 'books', id: 'x', relationships: { warrant: { data: null } } })).toBe(true);
  });

  test.each([
    ['books_update', { type: 'books', id: 'x', relationships: shelf }],
    ['books_update', { type: 'books', attributes: {} }],
    ['books_update', { type: 'books', id: 'x', relationships: { warrant: { data: { type: 'readers', id: 'x' } } } }],
    ['books_create', { type: 'books', attributes: { title: 'x' } }],
    ['books_create', { type: 'books', relationships: shelf }],
    ['books_create', { type: 'books', attributes: { title: 'x', created_at: 'now' }, relationships: shelf }],
    ['shelves_create', { type: 'shelves', attributes: { name: 'x', capacity: 0 } }],
    ['shelves_create', { type: 'books', attributes: { name: 'x' } }],
  ])('%s refuses %j', (name, data) => {
    expect(accepts(name, data)).toBe(false);
  });

  test('nested objects: whole on create, in part on an update that merges, and only types that can be written', () => {
    const lamp = (attributes: object, type = 'led_lamps') => ({
      type: 'shelves',
      attributes: { name: 'x', lamp: { type, attributes } },
    });
    const change = (attributes: object) => ({
      type: 'shelves',
      id: 'x',
      attributes: { lamp: { type: 'led_lamps', attributes } },
    });
    expect(accepts('shelves_create', lamp({ watts: 5 }))).toBe(true);
    expect(accepts('shelves_create', lamp({ colour: 'warm' }))).toBe(false);
    expect(accepts('shelves_update', change({ colour: 'warm' }))).toBe(true);
    expect(accepts('shelves_create', lamp({ watts: 5, serial: 'x' }))).toBe(false);
    expect(accepts('shelves_create', lamp({ name: 'x' }, 'old_lamps'))).toBe(false);
    expect(accepts('shelves_create', lamp({ watts: 5, lowest: 2 ** 31 }))).toBe(false);
  });

  test('members of which one may be sent, links that are named once, and the largest number', () => {
    const book = (copy: object) => ({
      type: 'books',
      attributes: { title: 'x', copies: [{ type: 'paper_copies', attributes: { qty: 1, ...copy } }] },
      relationships: shelf,
    });
    for (const copy of [{}, { supplier: 'a' }, { donor: 'b' }]) expect(accepts('books_create', book(copy))).toBe(true);
    expect(accepts('books_create', book({ supplier: 'a', donor: 'b' }))).toBe(false);
    const tour = (...ids: string[]) => ({
      type: 'tours',
      relationships: { guests: { data: ids.map((id) => ({ type: 'readers', id })) } },
    });
    expect(accepts('tours_create', tour('1', '2'))).toBe(true);
    expect(accepts('tours_create', tour('1', '1'))).toBe(false);
  });

  test('responses have every member of a nested object, secrets apart', () => {
    const members = (name: string) => schemas[name]?.properties?.attributes;
    expect(members('led_lamps')?.required).toEqual(['watts', 'colour', 'dimmable', 'lowest', 'serial']);
    expect(members('paper_copies')?.required).toEqual(['qty', 'note']);
  });
});

describe('operations', () => {
  test('exist as the endpoints do', () => {
    expect(Object.keys(document.paths['/library/books/{id}'] ?? {})).toEqual(['get', 'patch', 'put', 'delete']);
    expect(Object.keys(document.paths['/library/shelves/{id}'] ?? {})).toEqual(['get', 'patch', 'put']);
    expect(Object.keys(document.paths['/library/desk'] ?? {})).toEqual(['get']);
    expect(Object.keys(document.paths['/library/book_checks'] ?? {})).toEqual(['post']);
    expect(document.paths).not.toHaveProperty('/library/clubs/{id}/leader');
    expect(document.paths).toHaveProperty('/library/books/{id}/relationships/keeper');
  });

  test('say which answers they give', () => {
    expect(Object.keys(operation('get', '/books')?.responses ?? {})).toEqual([
      '200',
      '304',
      '400',
      '401',
      '403',
      '406',
      '429',
      '503',
    ]);
    expect(Object.keys(operation('post', '/books')?.responses ?? {})).toEqual(
      expect.arrayContaining(['201', '400', '401', '413', '415', '422']),
    );
    expect(operation('delete', '/books/{id}')?.responses['204']).not.toHaveProperty('content');
  });

  test('need a key, unless the type is open', () => {
    expect(operation('get', '/books')?.security).toEqual([{ api_key: [] }]);
    expect(operation('get', '/notices')?.security).toEqual([]);
    expect(operation('get', '/notices')?.responses).not.toHaveProperty('401');
  });

  test('stand in the group of their type; groups without any are left out', () => {
    expect(operation('get', '/shelves')?.tags).toEqual(['Rooms']);
    expect(operation('get', '/books')?.tags).toEqual(['Other']);
    expect(document.tags.map(({ name }) => name)).toEqual(['Rooms', 'Other', 'Relationships']);
  });
});

describe('parameters', () => {
  test('describe how a filter matches', () => {
    expect(parameter('/shelves', 'filter[name]')?.description).toBe('The value contains this text.');
    expect(parameter('/books', 'filter[status]')).toMatchObject({
      description: 'Any of these, comma separated.',
      schema: { type: 'array', items: { type: 'string', enum: ['there', 'lost'] } },
      style: 'form',
      explode: false,
    });
    expect(parameter('/shelves', 'filter[created_at_lteq]')?.description).toMatch(
      /^At most this value\..*end of that day\.$/,
    );
  });

  test('name sort keys both ways, and what may be included and narrowed', () => {
    expect(parameter('/shelves', 'sort')?.schema.items?.enum).toEqual([
      'name',
      '-name',
      'created_at',
      '-created_at',
      'room',
      '-room',
    ]);
    expect(parameter('/books', 'include')?.description).toContain('`shelf`, `keeper`, `reviewers`, `warrant`');
    expect(members(parameter('/books', 'fields')?.schema)).toEqual(['books', 'shelves', 'readers', 'clubs']);
    expect(parameter('/readers', 'include')).toBeUndefined();
    expect(parameter('/notices', 'sort')).toBeUndefined();
  });

  test('the page is shared, and only where there are pages', () => {
    const refs = (path: string) => JSON.stringify(operation('get', path)?.parameters);
    expect(refs('/books')).toContain('#/components/parameters/page_size');
    expect(refs('/notices')).not.toContain('page_size');
    expect(document.components.parameters?.page_size?.schema).toMatchObject({ minimum: 1, maximum: 100, default: 50 });
    expect(refs('/readers')).toContain('#/components/parameters/page_size_500');
    expect(document.components.parameters?.page_size_500?.schema.maximum).toBe(500);
    expect(document.components.parameters?.api_version?.description).toContain('2029-01-01, 2030-01-01');
  });
});

describe('titles', () => {
  test('are what people say', () => {
    expect(operation('get', '/shelves')?.summary).toBe('List shelves');
    expect(operation('post', '/shelves')?.summary).toBe('Create a shelf');
    expect(operation('get', '/shelves/{id}/books')?.summary).toBe('List the books of a shelf');
    expect(operation('get', '/shelves/{id}/relationships/books')?.summary).toBe('Get the ids of the books of a shelf');
    expect(operation('get', '/books/{id}')?.summary).toBe('Get a book');
    expect(operation('delete', '/books/{id}')?.summary).toBe('Delete a book');
  });

  test.each([
    ['city', 'cities'],
    ['address', 'addresses'],
    ['prefix', 'prefixes'],
    ['key', 'keys'],
    ['order', 'orders'],
  ])('the plural of %s is %s', (one, many) => {
    expect(pluralOf(one)).toBe(many);
  });
});
