/** API keys in the panel. */
import { beforeAll, describe, expect, it } from 'vitest';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';

const server = useOpened(() => startTestServer({ account: { name: 'Acme', ...login } }));
let browser: PanelClient;

beforeAll(async () => {
  browser = new PanelClient(server.url);
  await browser.signIn();
});

const create = (attributes: object) => browser.post('/panel/v1/api_keys', { data: { type: 'api_keys', attributes } });
const balanceWith = async (key: string) =>
  (await fetch(`${server.url}/v3/balance`, { headers: { 'api-key': key } })).status;

describe('an API key', () => {
  it('is shown once, works, is noted when used, and stops when revoked', async () => {
    const made = await create({ name: 'ci', allowed_ips: ['127.0.0.1', '192.0.2.0/24', '2001:db8::1'] });
    expect(made.status).toBe(201);
    const { id, attributes } = made.resource;
    const key = String(attributes.key);
    expect(attributes).toMatchObject({
      name: 'ci',
      allowed_ips: ['127.0.0.1', '192.0.2.0/24', '2001:db8::1'],
      last_used_at: null,
      revoked_at: null,
    });
    expect(attributes.key).toMatch(/^tl_sandbox_\w{32}$/);
    expect(attributes.prefix).toBe(key.slice(0, 15));
    expect((await browser.get(`/panel/v1/api_keys/${id}`)).resource.attributes.key).toBeNull();
    expect(await balanceWith(key)).toBe(200);
    await expect
      .poll(async () => (await browser.get(`/panel/v1/api_keys/${id}`)).resource.attributes.last_used_at)
      .toBe('2026-06-15T12:00:00.000Z');
    expect((await browser.delete(`/panel/v1/api_keys/${id}`)).status).toBe(204);
    await expect.poll(() => balanceWith(key)).toBe(401);
    const revoked = await browser.get('/panel/v1/api_keys?filter[state]=revoked');
    expect(revoked.resources.map((each) => each.id)).toEqual([id]);
  });

  it.each([
    [{}, '/data/attributes/name'],
    [{ name: ' ' }, '/data/attributes/name'],
    [{ name: 'x', allowed_ips: ['not an address'] }, '/data/attributes/allowed_ips'],
    [{ name: 'x', rate_limit: 0 }, '/data/attributes/rate_limit'],
  ])('is refused at its field: %j', async (attributes, pointer) => {
    const { status, errors } = await create(attributes);
    expect([status, errors[0]?.source?.pointer]).toEqual([422, pointer]);
  });

  it('of another account is not there', async () => {
    const theirs = { email: 'else@other.test', password: 'another long password' };
    await server.addAccount(theirs);
    const stranger = new PanelClient(server.url);
    await stranger.signIn(theirs);
    const { id } = (await create({ name: 'mine' })).resource;
    expect((await stranger.get(`/panel/v1/api_keys/${id}`)).status).toBe(404);
    expect((await stranger.delete(`/panel/v1/api_keys/${id}`)).status).toBe(404);
    expect((await stranger.get('/panel/v1/api_keys')).resources).toHaveLength(1);
  });

  it('cannot manage keys itself', async () => {
    const response = await fetch(`${server.url}/panel/v1/api_keys`, { headers: { 'api-key': server.key } });
    expect(response.status).toBe(401);
  });
});
