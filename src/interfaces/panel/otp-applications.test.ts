/** OTP applications in the panel. */
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

const path = '/panel/v1/otp_applications';
const document = (attributes: object, id?: string) => ({
  data: { type: 'otp_applications', ...(id ? { id } : {}), attributes },
});
const create = (attributes: object) => browser.post(path, document(attributes));
const change = (id: string, attributes: object) => browser.patch(`${path}/${id}`, document(attributes, id));

/** 404 says that the application was recognised: it has no such verification. */
async function readWith(key: unknown, secret: unknown): Promise<number> {
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;
  const url = `${server.url}/api/v1/verifications/01890000-0000-7000-8000-000000000000`;
  return (await fetch(url, { headers: { authorization } })).status;
}

describe('an OTP application', () => {
  it('shows its secret when it is made and when it is rotated, and the old one stops', async () => {
    const made = await create({ name: 'web', minimum_mode: 'basic' });
    expect(made.status).toBe(201);
    const { id, attributes } = made.resource;
    expect(attributes).toMatchObject({ name: 'web', minimum_mode: 'basic', code_length: 6, code_timeout: 300 });
    expect(attributes.secret).toMatch(/^[\w-]{43}$/);
    expect((await browser.get(`${path}/${id}`)).resource.attributes.secret).toBeNull();
    expect(await readWith(attributes.key, attributes.secret)).toBe(404);

    const rotated = await change(id, { rotate_secret: true });
    expect(rotated.status).toBe(200);
    expect(rotated.resource.attributes.secret).not.toBe(attributes.secret);
    expect(await readWith(attributes.key, rotated.resource.attributes.secret)).toBe(404);
    await expect.poll(() => readWith(attributes.key, attributes.secret)).toBe(401);

    const changed = await change(id, { code_length: 8, description: 'for the shop' });
    expect(changed.resource.attributes).toMatchObject({ code_length: 8, description: 'for the shop', secret: null });
    expect((await browser.delete(`${path}/${id}`)).status).toBe(204);
    expect((await browser.get(`${path}/${id}`)).status).toBe(404);
  });

  it.each([
    [{}, 'name'],
    [{ name: 'x', code_length: 9 }, 'code_length'],
    [{ name: 'x', callback_url: 'ftp://example.com' }, 'callback_url'],
    [{ name: 'x', minimum_mode: 'none' }, 'minimum_mode'],
  ])('is refused at its field: %j', async (attributes, name) => {
    const { status, errors } = await create(attributes);
    expect([status, errors[0]?.source?.pointer]).toEqual([422, `/data/attributes/${name}`]);
  });

  it('has a name of its own', async () => {
    await create({ name: 'twice' });
    const { status, errors } = await create({ name: 'twice' });
    expect([status, errors[0]?.source?.pointer]).toEqual([422, '/data/attributes/name']);
  });

  it('is not there for the second of two who delete it together', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, (_, at) => create({ name: `twice deleted ${at}` })));
    const statuses = await Promise.all(
      made.map(async ({ resource: { id } }) => {
        const deleted = await Promise.all([1, 2, 3].map(() => browser.delete(`${path}/${id}`)));
        return deleted.map(({ status }) => status).sort();
      }),
    );
    expect(statuses).toEqual(made.map(() => [204, 404, 404]));
  });

  it('of another account is not there', async () => {
    const theirs = { email: 'else@other.test', password: 'another long password' };
    await server.addAccount(theirs);
    const stranger = new PanelClient(server.url);
    await stranger.signIn(theirs);
    const { id } = (await create({ name: 'mine' })).resource;
    expect((await stranger.patch(`${path}/${id}`, document({ rotate_secret: true }, id))).status).toBe(404);
    expect((await stranger.delete(`${path}/${id}`)).status).toBe(404);
  });
});
