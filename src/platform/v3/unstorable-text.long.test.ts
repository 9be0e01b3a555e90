import { describe, expect, test } from 'vitest';
import { checkedFetch } from '../../../test/support/checked-fetch.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import type { Facts } from '../../jsonapi/facts.ts';
import { parseValue } from '../../jsonapi/parse-value.ts';
import type { Schema } from '../../openapi/types.ts';
import { platformPart } from './openapi.ts';
import { resources } from './resources.ts';

/** Text that PostgreSQL cannot store, sent in every text of every request body that the API reference describes. */
const server = useOpened(() => startTestServer());

const { paths, components } = platformPart('Trunkline');
const mediaType = 'application/vnd.api+json';
const placeholder = 'THE TEXT';
const nobody = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolved(components.schemas?.[schema.$ref.replace(/^.*\//, '')] ?? {});

/** Every value that fits the schema's form and holds the placeholder in one place; the rest is left out, but for types. */
function valuesWithText(given: Schema, depth = 0): unknown[] {
  const schema = resolved(given);
  const types = [schema.type ?? []].flat();
  if (depth > 8) return [];
  if (schema.oneOf) return schema.oneOf.flatMap((each) => valuesWithText(each, depth + 1));
  if (schema.items) return valuesWithText(schema.items, depth + 1).map((value) => [value]);
  if (schema.properties) {
    const members = Object.entries(schema.properties);
    const fixed = members.flatMap(([name, member]) => {
      const value = resolved(member).const;
      return value === undefined ? [] : [[name, value]];
    });
    return members.flatMap(([name, member]) =>
      valuesWithText(member, depth + 1).map((value) => ({ ...Object.fromEntries(fixed), [name]: value })),
    );
  }
  return types.includes('string') && schema.const === undefined ? [placeholder] : [];
}

const requests = Object.entries(paths).flatMap(([path, item]) =>
  (['post', 'patch'] as const).flatMap((method) => {
    const schema = item[method]?.requestBody?.content[mediaType]?.schema;
    const bodies = schema ? valuesWithText(schema).map((body) => JSON.stringify(body)) : [];
    return bodies.length > 0 ? [{ method, path, bodies }] : [];
  }),
);

const send = (method: string, path: string, body: string) =>
  checkedFetch(`${server.url}${path.replace('{id}', nobody)}`, {
    method: method.toUpperCase(),
    headers: { 'api-key': server.key, 'content-type': mediaType },
    body,
  });

describe.each(requests)('$method $path', ({ method, path, bodies }) => {
  test('takes NUL in no text', async () => {
    const statuses = new Set<number>();
    for (const body of bodies) statuses.add((await send(method, path, body.replace(placeholder, 'a\\u0000b'))).status);
    expect([...statuses].filter((status) => ![400, 404, 409, 422].includes(status))).toEqual([]);
  });

  test('refuses a lone surrogate in every text', async () => {
    const statuses = new Set<number>();
    for (const body of bodies) statuses.add((await send(method, path, body.replace(placeholder, 'a\\ud800b'))).status);
    expect([...statuses]).toEqual([400]);
  });
});

test('the texts were found', () => {
  const texts = requests.flatMap(({ bodies }) => bodies);
  expect(texts.length).toBeGreaterThan(150);
  for (const name of ['description', 'company_name', 'host', 'tech_prefix', 'service_description', 'did_number']) {
    expect(texts.some((body) => body.includes(`"${name}":"${placeholder}"`))).toBe(true);
  }
});

/** The members that a workflow checks itself have tests of their own: `exports.filters`. */
const declaredTexts = resources.flatMap(({ type, attributes }) =>
  Object.entries(attributes).flatMap(([name, { facts, objectTypes = {} }]) => [
    [`${type}.${name}`, facts] as const,
    ...Object.entries(objectTypes).flatMap(([nested, members]) =>
      Object.entries(members).map(([member, each]) => [`${type}.${name}.${nested}.${member}`, each] as const),
    ),
  ]),
);
const isWrittenText = ({ create, update, type, items }: Facts): boolean =>
  Boolean(create || update) && (type === 'string' || (type === 'array' && items?.type === 'string'));

test.each(declaredTexts.filter(([, facts]) => isWrittenText(facts)))('%s cannot hold NUL', (_name, facts) => {
  const text = 'a\0b';
  expect(parseValue(facts, facts.type === 'array' ? [text] : text)).toEqual({ message: expect.any(String) });
});
