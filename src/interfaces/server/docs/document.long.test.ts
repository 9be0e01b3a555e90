/** The whole OpenAPI document is valid and well titled. */
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { resources } from '../../platform/v3/resources.ts';
import { openApiDocument } from './document.ts';

const document = openApiDocument({ name: 'sandbox' }, 'http://127.0.0.1:8081');

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toEqual({ valid: true });
  });

  test('holds only references that lead somewhere', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    const components = new Map(Object.entries(document.components));
    const dangling = references.filter(([, kind = '', name = '']) => !Object.hasOwn(components.get(kind) ?? {}, name));
    expect(dangling.map(([text]) => text)).toEqual([]);
    expect(references.length).toBeGreaterThan(100);
  });

  test('has schemas that compile in strict mode', () => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, validateFormats: false });
    ajv.addVocabulary([
      'components',
      'openapi',
      'info',
      'servers',
      'tags',
      'paths',
      'webhooks',
      'discriminator',
      'x-enumDescriptions',
    ]);
    ajv.addSchema(document, 'document');
    for (const name of Object.keys(document.components.schemas ?? {})) {
      expect(() => ajv.compile({ $ref: `document#/components/schemas/${name}` })).not.toThrow();
    }
  });

  test('gives every operation an id of its own and a tag that is described', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const tags = new Set(document.tags.map(({ name }) => name));
    expect(operations.filter((operation) => !operation.tags.every((tag) => tags.has(tag)))).toEqual([]);
  });

  test('describes every type of the platform, with or without a path of its own', () => {
    const schemas = Object.keys(document.components.schemas ?? {});
    expect(resources.map(({ type }) => type).filter((type) => !schemas.includes(type))).toEqual([]);
    expect(document.paths['/v3/countries']?.get?.operationId).toBe('list_countries');
    expect(document.paths).not.toHaveProperty('/v3/stock_keeping_units');
  });

  test('leaves no object open to members it does not name, but requests whose unknown members the server ignores', () => {
    const open = Object.entries(document.components.schemas ?? {}).filter(
      ([, schema]) => schema.type === 'object' && schema.additionalProperties !== false,
    );
    expect(open.map(([name]) => name)).toEqual(['verification_start', 'verification_report']);
  });

  test('has the sandbox control interface in the sandbox only', () => {
    expect(document.paths).toHaveProperty('/sandbox/v1/clock');
    expect(openApiDocument({ name: 'production' }, 'http://x').paths).not.toHaveProperty('/sandbox/v1/clock');
  });
});

describe('titles of operations', () => {
  test('are what people say, and name no type of the interface', () => {
    const titles = Object.values(document.paths).flatMap((item) => Object.values(item).map(({ summary }) => summary));
    expect(titles).toEqual(expect.arrayContaining(['Create an order', 'Get a country', 'List available numbers']));
    expect(titles).toEqual(expect.arrayContaining(['Get the balance', 'List the regions of a country']));
    expect(titles.filter((title) => /_|\bone of\b|same as/i.test(title))).toEqual([]);
  });
});
