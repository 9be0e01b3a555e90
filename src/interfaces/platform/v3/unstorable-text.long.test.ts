/** Text that PostgreSQL cannot store, sent in every text of every request body that the API reference describes. */
import { beforeAll, describe, expect, test } from 'vitest';
import { makeAddress, makeIdentity } from '../../../../test/support/paperwork.ts';
import { openShop } from '../../../../test/support/shop.ts';
import { useOpened } from '../../../../test/support/use.ts';
import type { Schema } from '../../../engines/openapi/types.ts';
import { platformPart } from './openapi.ts';

const shop = useOpened(() => openShop());

const { paths, components } = platformPart('Trunkline');
const mediaType = 'application/vnd.api+json';
const placeholder = 'THE TEXT';
const nobody = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolved(components.schemas?.[schema.$ref.replace(/^.*\//, '')] ?? {});

/**
 * Every value that fits the schema's form and holds the placeholder in one place; the rest is left out, but for types.
 */
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
  (['post', 'patch', 'delete'] as const).flatMap((method) => {
    const schema = item[method]?.requestBody?.content[mediaType]?.schema;
    const bodies = schema ? valuesWithText(schema).map((body) => JSON.stringify(body)) : [];
    return bodies.length > 0 ? [{ method, path, bodies }] : [];
  }),
);

/** Records that the updates are sent to; types of which the shop has none get an id that nobody has. */
const ids = new Map<string, string>();
const typeOf = (path: string): string => /^\/v3\/(\w+)/.exec(path)?.[1] ?? '';

beforeAll(async () => {
  const { client } = shop;
  await shop.buyDids('london');
  await makeAddress(client, await makeIdentity(client));
  const configuration = { type: 'sip_configurations', attributes: { host: 'sip.example.net', codec_ids: [9] } };
  const trunk = { type: 'voice_in_trunks', attributes: { name: 'Desk', configuration } };
  await client.post('/voice_in_trunks', { data: trunk });
  for (const type of new Set(requests.filter(({ path }) => path.includes('{id}')).map(({ path }) => typeOf(path)))) {
    const [first] = (await client.get(`/${type}`)).resources;
    if (first) ids.set(type, first.id);
  }
});

test('updates are sent to records that are there', () => {
  expect([...ids.keys()].sort()).toEqual([
    'addresses',
    'capacity_pools',
    'dids',
    'identities',
    'orders',
    'voice_in_trunks',
  ]);
});

const notesOfRequests = ['api_key_uses', 'api_key_usage', 'api_requests', 'sandbox_requests'];

/**
 * A digest of each table's content, but for the notes about requests, which the server writes in batches of its own.
 */
async function tableDigests(): Promise<Record<string, string>> {
  const { rows: tables } = await shop.env.pool.query(
    `select format('select %L as name, md5(coalesce(string_agg(t::text, ''|'' order by t::text), '''')) as digest from %I t',
       table_name, table_name) as sql
     from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all($1)`,
    [notesOfRequests],
  );
  const { rows } = await shop.env.pool.query(tables.map(({ sql }) => sql).join(' union all '));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

describe.each(requests)('$method $path', ({ method, path, bodies }) => {
  const target = () => path.replace('/v3', '').replace('{id}', ids.get(typeOf(path)) ?? nobody);

  test.each([
    ['NUL', 'a\\u0000b', 'The request body holds a NUL character.'],
    ['a lone surrogate', 'a\\ud800b', 'The request body is not valid JSON.'],
  ])('refuses %s in every text, and stores nothing', async (_case, text, detail) => {
    const before = await tableDigests();
    for (const body of bodies) {
      const rawBody = body.replace(placeholder, text);
      const { status, errors } = await shop.client.request(method.toUpperCase(), target(), undefined, { rawBody });
      expect({ status, errors }, rawBody).toEqual({
        status: 400,
        errors: [{ title: 'Bad Request', detail, code: '400', status: '400' }],
      });
    }
    expect(await tableDigests()).toEqual(before);
  });
});

test('the texts were found', () => {
  const texts = requests.flatMap(({ bodies }) => bodies);
  expect(texts.length).toBeGreaterThan(150);
  for (const name of ['description', 'company_name', 'host', 'tech_prefix', 'service_description', 'did_number']) {
    expect(texts.some((body) => body.includes(`"${name}":"${placeholder}"`))).toBe(true);
  }
});
