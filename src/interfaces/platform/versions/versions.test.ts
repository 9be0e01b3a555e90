/** Which version a request is served in, and what differs in it. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { ApiClient } from '../../../../test/support/client.ts';
import { startTestServer, type TestAccount } from '../../../../test/support/server.ts';
import { idOf, loadSmallCatalogue } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { createApiKey } from '../../../business/accounts/api-keys.ts';

const server = useOpened(() => startTestServer());
/** A customer of today, and one who stayed with 2022-05-10. */
let today: ApiClient;
let old: ApiClient;
let customer: TestAccount;

beforeAll(async () => {
  await loadSmallCatalogue(server.env);
  today = server.client;
  customer = await server.addAccount({ apiVersion: '2022-05-10' });
  old = customer.client;
});

const berlin = `/did_groups/${idOf('did_groups', 'Berlin')}`;
const versionOf = async (client: ApiClient, headers: Record<string, string> = {}) =>
  (await client.get('/countries', { headers })).meta.api_version;

describe('choosing a version', () => {
  test("without a header, the customer's own", async () => {
    expect([await versionOf(today), await versionOf(old)]).toEqual(['2026-04-16', '2022-05-10']);
  });

  test('the first request with a key fixes the newest one, whatever it asks for itself', async () => {
    const fresh = await server.addAccount();
    const { accountId } = fresh;
    await server.env.db.updateTable('accounts').set({ api_version: null }).where('id', '=', accountId).execute();
    const stored = async () => {
      const { api_version } = await server.env.db
        .selectFrom('accounts')
        .select('api_version')
        .where('id', '=', accountId)
        .executeTakeFirstOrThrow();
      return api_version;
    };
    expect((await fresh.client.with({ key: 'another' }).get('/countries')).status).toBe(401);
    expect(await stored()).toBeNull();
    expect(await versionOf(fresh.client, { 'x-service-api-version': '2021-04-19' })).toBe('2021-04-19');
    await expect.poll(stored).toBe('2026-04-16');
  });

  test('a version that was chosen before the first request stays', async () => {
    const chosen = await server.addAccount({ apiVersion: '2021-12-15' });
    expect([await versionOf(chosen.client), await versionOf(chosen.client)]).toEqual(['2021-12-15', '2021-12-15']);
  });

  test.each(['X-Service-Api-Version', 'x-didww-api-version', 'X-ACME-API-VERSION'])('%s selects one', async (name) => {
    expect(await versionOf(old, { [name]: '2026-04-16' })).toBe('2026-04-16');
  });

  test.each(['1999-01-01', 'newest', '', '2026-04-17'])('an unknown one is ignored: %s', async (value) => {
    const headers = { 'x-service-api-version': value };
    expect([await versionOf(today, headers), await versionOf(old, headers)]).toEqual(['2026-04-16', '2022-05-10']);
  });

  test("one older than the customer's serves the request, and only that one", async () => {
    const headers = { 'x-service-api-version': '2022-05-10' };
    const { meta, resource } = await today.get(`${berlin}?include=requirement`, { headers });
    expect([meta.api_version, resource.relationships.requirement?.data]).toEqual(['2022-05-10', null]);
    expect(await versionOf(today)).toBe('2026-04-16');
  });

  test('errors tell the version too', async () => {
    expect((await old.get('/countries?filter[x]=1')).meta.api_version).toBe('2022-05-10');
    expect((await old.get('/planets')).meta.api_version).toBe('2022-05-10');
    expect((await old.get('/countries', { headers: { accept: 'text/html' } })).meta.api_version).toBe('2022-05-10');
  });

  test('so does the refusal of one request too many', async () => {
    const { key } = await createApiKey(server.env, customer.accountId, { name: 'slow', rateLimit: 1 });
    const responses = await Promise.all(Array.from({ length: 6 }, () => old.with({ key }).get('/countries')));
    expect(responses.map(({ status }) => status)).toContain(429);
    expect(new Set(responses.map(({ meta }) => meta.api_version))).toEqual(new Set(['2022-05-10']));
  });
});

describe('2022-05-10', () => {
  test('sms_out stands for p2p and a2p, and newer features are not there', async () => {
    expect((await today.get(berlin)).resource.attributes.features).toEqual(['voice_in', 'sms_in', 'p2p']);
    expect((await old.get(berlin)).resource.attributes.features).toEqual(['voice_in', 'sms_in', 'sms_out']);
    const newYork = `/did_groups/${idOf('did_groups', 'New York')}`;
    expect((await today.get(newYork)).resource.attributes.features).toContain('emergency');
    expect((await old.get(newYork)).resource.attributes.features).toEqual(['voice_in', 'voice_out']);
  });

  test('sms_out can be filtered by', async () => {
    const { resources } = await old.get('/did_groups?filter[features]=sms_out,voice_in');
    expect(resources.map(({ attributes }) => attributes.area_name)).toEqual(['Berlin']);
    expect((await today.get('/did_groups?filter[features]=sms_out')).errors[0]?.code).toBe('107');
    expect((await old.get('/available_dids?filter[did_group.features]=sms_out')).resources).toHaveLength(1);
  });

  test('address_requirement is called requirement, with links that answer', async () => {
    const { relationships } = (await old.get(`${berlin}?include=requirement`)).resource;
    expect(relationships).not.toHaveProperty('address_requirement');
    expect(relationships.requirement?.data).toBeNull();
    const { self, related } = relationships.requirement?.links ?? { self: '', related: '' };
    expect([self, related].map((link) => link.replace(/^.*\//, ''))).toEqual(['requirement', 'requirement']);
    expect((await old.get(self)).body.data).toBeNull();
    expect((await old.get(related)).body.data).toBeNull();
    expect((await today.get(`${berlin}?include=requirement`)).errors[0]?.code).toBe('112');
  });

  test('included groups are translated as well', async () => {
    const { included } = await old.get('/available_dids?include=did_group.requirement');
    const group = included.find(({ attributes }) => attributes.area_name === 'Berlin');
    expect(group?.attributes.features).toEqual(['voice_in', 'sms_in', 'sms_out']);
    expect(group?.relationships.requirement?.data).toBeNull();
  });

  test('a fieldset names it the old way', async () => {
    const { resource } = await old.get(`${berlin}?fields[did_groups]=requirement`);
    expect(Object.keys(resource.relationships)).toEqual(['requirement']);
  });

  test('page links repeat what the client sent', async () => {
    const { links } = await old.get('/did_groups?include=requirement&filter[features]=sms_out&page[size]=1');
    expect(links.first).toContain('filter%5Bfeatures%5D=sms_out&include=requirement&');
  });

  /** Without the check against the newest document, which has these paths. */
  const answerTo = async (client: TestAccount, method: string, path: string) => {
    const headers = { 'api-key': client.key, 'content-type': 'application/vnd.api+json' };
    const body = method === 'POST' || method === 'PATCH' ? { body: '{}' } : {};
    const response = await fetch(`${server.url}/v3${path}`, { method, headers, ...body });
    const { errors = [] } = (await response.json()) as { errors?: { title: string; detail: string }[] };
    return { status: response.status, allow: response.headers.get('allow'), title: errors[0]?.title, ...errors[0] };
  };

  test.each([
    ['GET', '/emergency_requirements'],
    ['GET', '/emergency_calling_services'],
    ['GET', '/emergency_verifications/1'],
    ['POST', '/emergency_requirement_validations'],
    ['DELETE', '/emergency_calling_services/1'],
    ['POST', '/emergency_requirements'],
    ['GET', '/did_history'],
  ])('a type that came later has no path: %s %s', async (method, path) => {
    const refused = await answerTo(customer, method, path);
    expect(refused).toMatchObject({ status: '404', detail: `The path /v3${path} could not be found.` });
    expect((await answerTo(server, method, path)).title).not.toBe('Not Found');
  });

  test.each(['orders', 'exports', 'address_verifications'])('%s are not changed', async (type) => {
    const path = `/${type}/00000000-0000-4000-8000-000000000000`;
    const refused = await answerTo(customer, 'PATCH', path);
    expect(refused).toMatchObject({ status: '405', allow: expect.not.stringContaining('PATCH') });
    expect((await answerTo(server, 'PATCH', path)).title).toBe('Record not found');
  });
});
