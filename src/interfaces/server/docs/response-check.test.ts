/** The check that holds every response in tests against the document. */
import { describe, expect, test } from 'vitest';
import { responseCheck } from '../../../../test/support/response-check.ts';
import { openApiDocument } from './document.ts';

/** The check that stands behind every test must itself be able to fail. */
const check = responseCheck(openApiDocument({ name: 'sandbox' }, 'http://127.0.0.1'));

const id = '0c2e7d8a-5a0b-4d51-8f0b-1e7a5b6c0010';
const meta = { api_version: '2026-04-16' };
const links = (name: string) => ({
  self: `http://127.0.0.1/v3/cities/${id}/relationships/${name}`,
  related: `http://127.0.0.1/v3/cities/${id}/${name}`,
});
const relationships = Object.fromEntries(['country', 'region', 'area'].map((name) => [name, { links: links(name) }]));
const city = { id, type: 'cities', attributes: { name: 'London' }, relationships };

const see = (
  body: unknown,
  changes: { url?: string; status?: number; contentType?: string | null; method?: string } = {},
) =>
  check({
    method: 'GET',
    url: `/v3/cities/${id}`,
    status: 200,
    contentType: 'application/vnd.api+json',
    text: body === null ? '' : JSON.stringify(body),
    ...changes,
  });

describe('the check of every response', () => {
  test('passes what the document describes', () => {
    expect(() => see({ data: city, meta })).not.toThrow();
    expect(() => see(null, { status: 304, contentType: null })).not.toThrow();
  });

  test.each([
    ['an unknown member of the document', { data: city, meta, jsonapi: {} }],
    ['an unknown member of meta', { data: city, meta: { ...meta, extra: 1 } }],
    ['an unknown member of the resource', { data: { ...city, links: {} }, meta }],
    ['an unknown attribute', { data: { ...city, attributes: { name: 'London', extra: null } }, meta }],
    [
      'an unknown relationship',
      { data: { ...city, relationships: { ...relationships, pop: { links: links('pop') } } }, meta },
    ],
    ['a missing attribute', { data: { ...city, attributes: {} }, meta }],
    ['a missing relationship', { data: { ...city, relationships: { country: { links: links('country') } } }, meta }],
    ['a value of another type', { data: { ...city, attributes: { name: 5 } }, meta }],
    ['an id that is no uuid', { data: { ...city, id: 'x' }, meta }],
    ['another type', { data: { ...city, type: 'areas' }, meta }],
    ['an included resource of a type that no path reaches', { data: city, included: [{ id, type: 'pops' }], meta }],
    ['a missing meta', { data: city }],
  ])('refuses %s', (_case, body) => {
    expect(() => see(body)).toThrow('does not match the OpenAPI document');
  });

  test('refuses a status, media type or body that is not documented', () => {
    expect(() => see({ data: city, meta }, { status: 201 })).toThrow('status is not documented');
    expect(() => see({ data: city, meta }, { status: 500 })).toThrow('the server failed');
    expect(() => see({ data: city, meta }, { contentType: 'application/json' })).toThrow('not documented');
    expect(() => see({ data: city, meta }, { status: 304 })).toThrow('a body, where the document has none');
    expect(() => see({ data: city, meta }, { url: '/v3/unheard_of' })).toThrow('not in the OpenAPI document');
  });

  test('lets a narrowed type have fewer members, but no unknown one, and no other type', () => {
    const url = `/v3/cities/${id}?fields[cities]=name`;
    expect(() => see({ data: { id, type: 'cities' }, meta }, { url })).not.toThrow();
    expect(() => see({ data: { id, type: 'cities', attributes: { extra: 1 } }, meta }, { url })).toThrow();
    expect(() => see({ data: city, included: [{ id, type: 'countries' }], meta }, { url })).toThrow();
  });
});
