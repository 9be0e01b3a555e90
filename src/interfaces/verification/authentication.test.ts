/** Signed and public requests, by the mode of an application. */
import { beforeAll, describe, expect, it } from 'vitest';
import { useOpened } from '../../../test/support/use.ts';
import { request, VerificationClient } from '../../../test/support/verification-client.ts';
import { startVerificationServer } from '../../../test/support/verification-server.ts';
import { createAccount, updateAccount } from '../../business/accounts/accounts.ts';
import type { OtpApplication } from './application.ts';
import { createApplication, regenerateSecret } from './application.writes.ts';
import { changeSettings } from './settings.ts';

const unauthorized = { errors: [{ code: 'unauthorized', detail: 'unauthorized' }] };
const vectorSecret = '31m-CahIKK3u6hpRgs4-MGRtTm9_znlUWAzMNA_9_2s';
const statusPath = '/api/v1/verifications/0199a3c4-5e6f-7a8b-9c0d-1e2f3a4b5c6d';
const server = useOpened(() => startVerificationServer({ machineNow: () => new Date(1767225601_000) }));
let application: OtpApplication;

beforeAll(async () => {
  application = await createApplication(server.env, server.accountId, { name: 'vectors', secret: vectorSecret });
});

const get = (headers: Record<string, string>, path = statusPath) =>
  request(server.url, 'GET', path, undefined, headers);

describe('signed requests', () => {
  const signed = (signature: string, timestamp = '1767225601') => ({
    authorization: `Application ${application.key}:${signature}`,
    'x-timestamp': timestamp,
  });

  it('of the published vector B2 pass', async () => {
    expect((await get(signed('YYWH3diq2yHqVw4FnhAxj6YfIMDTu0RzbhFmoFdbALI='))).status).toBe(404);
  });

  it('of vectors B8 and C1 pass over the undecoded path, with or without a query', async () => {
    expect(
      (
        await get(
          signed('eukUr83Mz46Zpd0CNi6jOgwMdlbQfIoPKycjkVlBxoU=', '1767225607'),
          '/api/v1/verifications/not%20a%2Fuuid',
        )
      ).status,
    ).toBe(404);
    const byNumber = '/api/v1/verifications/by_number/%2B15555550100';
    expect(
      (await get(signed('rprOYD0mN49iSXwmL/OwIZPlIn9aj78LTp8av8IC67Y=', '1767225608'), `${byNumber}?x=1`)).status,
    ).toBe(404);
  });

  it('of vector C2 pass over the raw content type, and vector C3 with a blank body is 400', async () => {
    const start = await request(
      server.url,
      'POST',
      '/api/v1/verifications',
      '{"data":{"destination":"+15555550100","delivery_method":"sms"}}',
      {
        ...signed('czi6tTpyhusoVUpXQhiqObm7IiagOcI3ofSjTYySvCs=', '1767225609'),
        'content-type': 'application/json; charset=utf-8',
      },
    );
    expect(start.status).toBe(201);
    const blank = await request(server.url, 'POST', '/api/v1/verifications', ' \n', {
      ...signed('4SECJ0x2PO8+KqIfHXC5/6YUoR1Nr1l2KoMC+Z4zRFM=', '1767225610'),
      'content-type': 'application/json',
    });
    expect(blank.status).toBe(400);
  });

  it.each([
    ['another signature', signedWith('YYWH3diq2yHqVw4FnhAxj6YfIMDTu0RzbhFmoFdbALJ=')],
    ['the same bytes spelled otherwise', signedWith('YYWH3diq2yHqVw4FnhAxj6YfIMDTu0RzbhFmoFdbALI')],
    ['another timestamp', signedWith('YYWH3diq2yHqVw4FnhAxj6YfIMDTu0RzbhFmoFdbALI=', '1767225602')],
    ['a stale timestamp', signedWith('YYWH3diq2yHqVw4FnhAxj6YfIMDTu0RzbhFmoFdbALI=', '1767225300')],
    ['no timestamp', () => ({ authorization: signed('YYWH3diq2yHqVw4FnhAxj6YfIMDTu0RzbhFmoFdbALI=').authorization })],
    [
      'a content type that was not signed',
      () => ({ ...signed('YYWH3diq2yHqVw4FnhAxj6YfIMDTu0RzbhFmoFdbALI='), 'content-type': 'application/json' }),
    ],
    ['an empty signature', () => ({ authorization: `Application ${application.key}:` })],
    ['no key', () => ({ authorization: 'Application :YYWH3diq2yHqVw4FnhAxj6YfIMDTu0RzbhFmoFdbALI=' })],
  ])('with %s are 401', async (_name, headers) => {
    const response = await get(headers());
    expect(response.status).toBe(401);
    expect(response.body).toEqual(unauthorized);
    expect(response.headers.has('www-authenticate')).toBe(false);
  });

  function signedWith(signature: string, timestamp?: string) {
    return () => signed(signature, timestamp);
  }
});

describe('the modes', () => {
  it.each([
    ['public', [404, 404]],
    ['basic', [401, 404]],
    ['application', [401, 401]],
  ] as const)('a minimum of %s answers public and basic with %j', async (minimumMode, statuses) => {
    const made = await createApplication(server.env, server.accountId, { name: minimumMode, minimumMode });
    const credentials = { key: made.key, secret: made.secret.reveal() };
    const seen = [];
    for (const mode of ['public', 'basic'] as const)
      seen.push((await new VerificationClient(server.url, credentials, mode).send('GET', statusPath)).status);
    expect(seen).toEqual(statuses);
  });

  it.each([
    ['nothing', {}],
    ['an unknown key', { authorization: 'Application 7c9e6679-7425-40de-944b-e07fc1f90ae7' }],
    [
      'a wrong secret',
      { authorization: `Basic ${Buffer.from('7c9e6679-7425-40de-944b-e07fc1f90ae7:x').toString('base64')}` },
    ],
    ['a key with a NUL', { authorization: `Basic ${Buffer.from('a\0b:x').toString('base64')}` }],
    ['another scheme', { authorization: 'Bearer x' }],
  ])('%s is the same 401', async (_name, headers) => {
    const response = await get(headers);
    expect([response.status, response.body]).toEqual([401, unauthorized]);
  });

  it('come before the body, and the route before them', async () => {
    expect((await request(server.url, 'POST', '/api/v1/verifications', '{', {})).status).toBe(401);
    expect((await request(server.url, 'DELETE', statusPath, undefined, {})).status).toBe(404);
    expect((await request(server.url, 'GET', '/api/v1/nothing', undefined, {})).status).toBe(404);
  });
});

it('a regenerated secret replaces the old one at once', async () => {
  const made = await createApplication(server.env, server.accountId, { name: 'rotating', minimumMode: 'basic' });
  const old = new VerificationClient(server.url, { key: made.key, secret: made.secret.reveal() }, 'basic');
  expect((await old.send('GET', statusPath)).status).toBe(404);
  const renewed = await regenerateSecret(server.env, made.id);
  await expect.poll(async () => (await old.send('GET', statusPath)).status).toBe(401);
  const current = new VerificationClient(server.url, { key: made.key, secret: renewed.secret.reveal() }, 'basic');
  expect((await current.send('GET', statusPath)).status).toBe(404);
});

it('an account without the verification service is the same 401, from the moment it is switched off', async () => {
  const account = await createAccount(server.env, { name: 'Without' });
  const made = await createApplication(server.env, account.id, { name: 'web' });
  const client = new VerificationClient(server.url, { key: made.key, secret: made.secret.reveal() }, 'basic');
  expect((await client.send('GET', statusPath)).status).toBe(404);
  await updateAccount(server.env, account.id, { features: { verification: false } });
  await expect.poll(async () => (await client.send('GET', statusPath)).status).toBe(401);
  expect((await client.send('GET', statusPath)).body).toEqual(unauthorized);
  await updateAccount(server.env, account.id, { features: { verification: true } });
  await expect.poll(async () => (await client.send('GET', statusPath)).status).toBe(404);
});

it('secrets are sealed in the table and do not show in text', async () => {
  const { rows } = await server.env.pool.query('select * from otp_applications');
  expect(JSON.stringify(rows)).not.toContain(vectorSecret);
  expect(JSON.stringify(application)).not.toContain(vectorSecret);
});

describe('what an operator can switch on', () => {
  it('limits failed authentications per address', async () => {
    const limited = await startVerificationServer();
    try {
      await changeSettings(limited.env, { failedAuthentication: { limit: 3, seconds: 60 } });
      const good = await limited.client({}, 'basic');
      const bad = () => request(limited.url, 'GET', statusPath, undefined, { authorization: 'Application nobody' });
      expect([await bad(), await bad(), await bad()].map(({ status }) => status)).toEqual([401, 401, 401]);
      const refused = await good.send('GET', statusPath);
      expect([refused.status, refused.body.errors?.[0]?.code]).toEqual([429, 'rate_limit_failed_auth']);
      expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    } finally {
      await limited.close();
    }
  });

  it('refuses a signature that was used before', async () => {
    const client = await startVerificationServer();
    try {
      const signing = await client.client();
      const headers = signing.headers('GET', statusPath);
      const send = () => request(client.url, 'GET', statusPath, undefined, headers);
      expect([(await send()).status, (await send()).status]).toEqual([404, 404]);
      await changeSettings(client.env, { refuseReplays: true });
      await expect.poll(async () => [(await send()).status, (await send()).status]).toEqual([401, 401]);
    } finally {
      await client.close();
    }
  });
});

it('clients sign the path of the public address', async () => {
  const behind = await startVerificationServer({ publicUrl: 'https://numbers.example/gw/' });
  try {
    const account = await createAccount(behind.env, { name: 'Other', balance: '1' });
    const made = await createApplication(behind.env, account.id, { name: 'x' });
    const credentials = { key: made.key, secret: made.secret.reveal() };
    expect(
      (await new VerificationClient(behind.url, credentials, 'application', '/gw').send('GET', statusPath)).status,
    ).toBe(404);
    expect((await new VerificationClient(behind.url, credentials, 'application').send('GET', statusPath)).status).toBe(
      401,
    );
  } finally {
    await behind.close();
  }
});
