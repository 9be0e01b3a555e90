/** Parameters that no client should send, in every query and path that is described or routed: never a 500. */
import { beforeAll, expect, test } from 'vitest';
import { addOperator } from '../../../test/support/operator.ts';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { servedRoutes } from '../../../test/support/served-routes.ts';
import { openShop } from '../../../test/support/shop.ts';
import { useOpened } from '../../../test/support/use.ts';
import type { OpenApiDocument } from '../../engines/openapi/types.ts';
import { operatorDocument } from '../operator/openapi.ts';
import { panelRegistry } from '../panel/resources.ts';
import { openApiDocument } from './docs/document.ts';

const shop = useOpened(() => openShop({ account: { ...login, balance: '1000' } }));

/** Values that end in the database unless something refuses them: no text, no time, no number, no pattern. */
const values = [
  'ab%00c',
  '%2B275760-09-13T00%3A00%3A00Z',
  '9999-12-31T23%3A59%3A59-14%3A00',
  '0000-01-01',
  '2026-01-01T00%3A00%3A00.123456789Z',
  '99999999999999999999',
  'London%25_%5C',
  '%F0%9F%98%80%ED%95%9C',
];

/** Names are compared with those of the declarations, whatever is in them. */
const valuesFor = (name: string) => (/^(fields|include|sort)/.test(name) ? values.slice(0, 1) : values);

interface Asked {
  path: string;
  parameters: readonly string[];
}

const nobody = '00000000-0000-4000-8000-000000000000';

/** Without `wait`, which waits as long as it says. */
function readsOf({ paths }: OpenApiDocument): Asked[] {
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const parameters = (get?.parameters ?? []).flatMap((each) =>
      'name' in each && each.in === 'query' && each.name !== 'wait' ? [each.name] : [],
    );
    // Below a record that is not there nothing is read.
    return get && !path.includes('{') ? [{ path, parameters }] : [];
  });
}

let panel: PanelClient;
let operator: Record<string, string>;

beforeAll(async () => {
  await shop.buyDids('london');
  operator = { 'api-key': (await addOperator(shop)).key };
  panel = new PanelClient(shop.url);
  expect((await panel.signIn(login)).status).toBe(201);
});

/** What each of these addresses responds with, if that is not what is expected. */
async function exceptions(
  addresses: readonly string[],
  headers: Record<string, string>,
  isRight: (status: number) => boolean,
): Promise<string[]> {
  const found: string[] = [];
  const waiting = [...addresses];
  const work = async () => {
    for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
      const { statusCode, body } = await shop.app.inject({ method: 'GET', url, headers });
      // The last net, for what no check has refused.
      const isCaught = body.includes('a value that cannot be used');
      if (!isRight(statusCode) || isCaught) found.push(`${statusCode} ${url} ${body.slice(0, 200)}`);
    }
  };
  await Promise.all([work(), work(), work(), work()]);
  return found;
}

const neverFails = (status: number) => status < 500;
const own = (): Record<string, string> => ({ 'api-key': shop.key });
const interfaces = {
  'the customer interfaces': () => [openApiDocument(shop.env, shop.url), own()] as const,
  "the operator's interface": () => [operatorDocument(shop.env, shop.url), operator] as const,
};

test.each(Object.entries(interfaces))('no value of a parameter is a fault in %s', async (_name, described) => {
  const [document, headers] = described();
  const reads = readsOf(document);
  const addresses = reads.flatMap(({ path, parameters }) =>
    parameters.flatMap((name) => valuesFor(name).map((value) => `${path}?${name}=${value}`)),
  );
  expect(addresses.length).toBeGreaterThan(500);
  expect(await exceptions(addresses, headers, neverFails)).toEqual([]);
});

test.each(Object.entries(interfaces))('a repeated parameter is 400 in %s', async (_name, described) => {
  const [document, headers] = described();
  const lists = readsOf(document).filter(({ parameters }) => parameters.length > 0);
  const addresses = lists.flatMap(({ path, parameters }) => parameters.map((name) => `${path}?${name}=1&${name}=2`));
  // The verification service reads no parameter at all.
  const asked = addresses.filter((url) => !url.startsWith('/api/v1'));
  expect(asked.length).toBeGreaterThan(100);
  expect(await exceptions(asked, headers, (status) => status === 400)).toEqual([]);
});

test('no segment of a path is a fault', async () => {
  const patterns = servedRoutes(shop.app).filter(({ method, pattern }) => method === 'GET' && pattern.includes(':'));
  const addresses = patterns.flatMap(({ pattern }) =>
    ['%00', 'a%00b', '%FF', '99999999999999999999', '%F0%9F%98%80'].map((value) => pattern.replaceAll(/:\w+/g, value)),
  );
  const ofOperators = addresses.filter((url) => url.startsWith('/operator/'));
  const others = addresses.filter((url) => !url.startsWith('/operator/'));
  expect(await exceptions(ofOperators, operator, neverFails)).toEqual([]);
  const headers = { ...own(), cookie: panel.cookie, 'x-trunkline-panel': '1' };
  expect(await exceptions(others, headers, neverFails)).toEqual([]);
});

test('no parameter is a fault for the panel', async () => {
  const filtered = panelRegistry
    .all()
    .flatMap(({ path, filters }) =>
      path === null ? [] : Object.keys(filters).map((name) => `/panel/v1${path}?filter[${name}]=`),
    );
  const plain = servedRoutes(shop.app).flatMap(({ method, pattern }) => {
    if (method !== 'GET' || !pattern.startsWith('/panel/v1/') || /\/events$/.test(pattern)) return [];
    const names = ['q', 'type', 'from', 'to', 'since', 'until', 'day', 'number'];
    return names.map((name) => `${pattern.replaceAll(/:\w+/g, nobody)}?${name}=`);
  });
  expect(Math.min(filtered.length, plain.length)).toBeGreaterThan(20);
  const addresses = [
    ...filtered.flatMap((url) => values.map((value) => url + value)),
    ...plain.flatMap((url) => values.slice(0, 2).map((value) => url + value)),
  ];
  const headers = { cookie: panel.cookie, 'x-trunkline-panel': '1', 'sec-fetch-site': 'same-origin' };
  expect(await exceptions(addresses, headers, neverFails)).toEqual([]);
});
