/**
 * A session alone changes no login: such acts ask for the password again, and a new password ends what there was
 * before.
 */
import { beforeEach, describe, expect, it, test } from 'vitest';
import { runDueJobs } from '../../../test/support/environment.ts';
import { startMailServer } from '../../../test/support/mail-server.ts';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { addressOf, servedRoutes } from '../../../test/support/served-routes.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { confirmedActs, confirmedSeconds } from '../../business/accounts/confirmed-acts.ts';
import { smtpMailer } from '../../business/mail/mailer.ts';
import { byBootstrap } from '../operator/act.ts';
import { createOperator } from '../operator/operators.writes.ts';
import { loginOf } from './logins.ts';

const publicUrl = 'https://numbers.example.test';
const smtp = useOpened(startMailServer);
const server = useOpened(() =>
  startTestServer({ publicUrl, worlds: true, mailer: smtpMailer(smtp.config), account: { name: 'Acme', ...login } }),
);
const staff = { email: 'staff@trunkline.test', password: 'an operator password' };
let browser: PanelClient;

/** With an https public URL the panel's own origin is that one. */
const client = () => new PanelClient(server.url);

beforeEach(async () => {
  browser = client();
  await browser.signIn();
});

const confirm = (who: PanelClient, password = login.password) => who.post('/panel/v1/login/confirm', { password });
const needed = ({ status, body }: { status: number; body: unknown }) => {
  const { errors, error } = (body ?? {}) as { errors?: { meta?: object }[]; error?: string };
  // The sandbox's control interface has errors of its own form.
  return [status, error?.startsWith('Confirm that it is you') ? asked[1] : errors?.[0]?.meta];
};
const asked = [403, { needed: 'confirmation' }];

/** A passkey without its authenticator, as a row. */
async function storePasskey(name: string): Promise<string> {
  const { id: login_id } = await loginOf(server.env, { kind: 'account', id: server.accountId });
  const { id } = await server.env.db
    .insertInto('passkeys')
    .values({
      ...{ login_id, name, uses: 0, created_at: server.clock.now() },
      ...{ credential_id: Buffer.from(name), public_key: Buffer.from('key') },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

const passkeyNames = async () =>
  ((await browser.get('/panel/v1/login')).body as { passkeys: { name: string }[] }).passkeys.map(({ name }) => name);

const bodyFor = (path: string) =>
  path.includes('/login/')
    ? { account_id: server.accountId, email: 'x@acme.test', password: 'a new long password', code: '000000' }
    : { data: {} };

describe('an act that outlives its session', () => {
  it('is asked for a confirmation, whoever signed in, on each of the routes and however they are written', async () => {
    await createOperator(byBootstrap(server.env), { ...staff, role: 'owner' });
    const routes = servedRoutes(server.app);
    const operator = client();
    await operator.signIn(staff);
    const found: unknown[] = [];
    const askAll = async (proof: string) => {
      for (const [act] of Object.entries(confirmedActs).filter(([, each]) => each === proof)) {
        const route = routes.find(({ method, pattern }) => `${method} ${pattern}` === act);
        if (route === undefined) throw new Error(`no such route: ${act}`);
        const person = /operator|links/.test(act) ? operator : browser;
        const path = addressOf(route);
        const encoded = path.replace('_keys', '%5Fkeys').replace('login', 'l%6Fgin').replace('members', 'memb%65rs');
        const methods = route.method === 'PATCH' ? ['PATCH', 'PUT'] : [route.method];
        for (const [method, each] of methods.flatMap((one) => [path, encoded].map((two) => [one, two] as const))) {
          const answer = await person.send(method, each, method === 'DELETE' ? undefined : bodyFor(path));
          if (JSON.stringify(needed(answer)) !== JSON.stringify(asked)) found.push([act, method, each, answer.status]);
        }
      }
    };
    await askAll('again');
    server.clock.advance(confirmedSeconds);
    await askAll('recent');
    expect(found).toEqual([]);
  });

  it('has a word in the table, or here', () => {
    const near =
      /^\/(panel\/v1\/(login|api_keys|members|otp_applications)|operator\/v1\/(operators|operator_keys)|sandbox\/v1\/(seed|worlds$))(\/|$)/;
    /** They end access, or are how one proves who one is, or are for who has no session. */
    const others =
      /^(DELETE \/(panel\/v1\/(api_keys|members|otp_applications)|operator\/v1\/(operators|operator_keys))\/:id|POST \/panel\/v1\/login\/(confirm(\/.*)?|set|forgotten|email\/confirm))$/;
    const unnamed = servedRoutes(server.app)
      .filter(({ method, pattern }) => ['POST', 'PATCH', 'PUT', 'DELETE'].includes(method) && near.test(pattern))
      .map(({ method, pattern }) => `${method} ${pattern}`)
      .filter((act) => confirmedActs[act.replace('PUT', 'PATCH')] === undefined && !others.test(act));
    expect(unnamed).toEqual([]);
  });

  it('is open for five minutes after the password, and not after a wrong one', async () => {
    expect((await confirm(browser, 'a wrong password')).status).toBe(403);
    expect(needed(await browser.post('/panel/v1/login/totp', {}))).toEqual(asked);
    expect((await confirm(browser)).status).toBe(204);
    expect((await browser.post('/panel/v1/login/totp', {})).status).toBe(200);
    server.clock.advance(confirmedSeconds);
    expect(needed(await browser.post('/panel/v1/login/totp', {}))).toEqual(asked);
    expect((await browser.post('/panel/v1/login/totp', { current: login.password })).status).toBe(200);
    const other = client();
    await other.signIn();
    expect(needed(await other.post('/panel/v1/login/passkeys/options', {}))).toEqual(asked);
  });

  it('is not opened by guessing', async () => {
    for (let n = 0; n < 5; n += 1) expect((await confirm(browser, `guess number ${n}`)).status).toBe(403);
    expect((await confirm(browser)).status).toBe(429);
    server.clock.advance(3600);
  });

  it('is not asked of keys, which have no person', async () => {
    server.clock.advance(confirmedSeconds);
    const key = { data: { type: 'api_keys', attributes: { name: 'k' } } };
    expect(needed(await browser.post('/panel/v1/api_keys', key))).toEqual(asked);
    await confirm(browser);
    expect((await browser.post('/panel/v1/api_keys', key)).status).toBe(201);
  });
});

describe('a new password', () => {
  const second = 'a long second password';
  const change = (who: PanelClient, more: object = {}) =>
    who.post('/panel/v1/login/password', { current: login.password, password: second, ...more });
  const changeBack = async () => {
    await browser.post('/panel/v1/login/password', { current: second, password: login.password });
  };

  it('removes other sessions and passkeys, and is told by e-mail', async () => {
    const thief = client();
    await thief.signIn();
    await storePasskey('of a thief');
    const listed = (await browser.get('/panel/v1/login')).body as { other_sessions: { ip: string }[] };
    expect(listed.other_sessions.length).toBeGreaterThan(0);
    const before = smtp.mails.length;
    expect((await change(browser)).status).toBe(201);
    expect((await thief.get('/panel/v1/login')).status).toBe(401);
    expect(await passkeyNames()).toEqual([]);
    await runDueJobs(server.env);
    const [mail] = smtp.mails.slice(before);
    expect([mail?.to, mail?.content]).toEqual([
      [login.email],
      expect.stringContaining('password of your login was changed'),
    ]);
    await changeBack();
  });

  it('keeps those that its person names, and of nobody else', async () => {
    const phone = client();
    await phone.signIn();
    const own = await storePasskey('my laptop');
    await storePasskey('not mine');
    const { other_sessions: others } = (await browser.get('/panel/v1/login')).body as {
      other_sessions: { id: string }[];
    };
    const wish = { keep_sessions: others.map(({ id }) => id), keep_passkeys: [own] };
    expect((await change(browser, { ...wish, keep_passkeys: ["x'; --"] })).status).toBe(400);
    expect((await change(browser, wish)).status).toBe(201);
    expect((await phone.get('/panel/v1/login')).status).toBe(200);
    expect(await passkeyNames()).toEqual(['my laptop']);
    await changeBack();
  });

  it.each([
    ['a common one', 'Password1234!'],
    ['a short one', 'short'],
  ])('is refused if it is %s', async (_what, password) => {
    expect((await change(browser, { password })).status).toBe(422);
  });
});

test('another e-mail address counts once its link was opened; the old one is told', async () => {
  const renamed = { email: 'renamed@acme.test', password: 'the password stays' };
  await server.addAccount({ name: 'Renamed', ...renamed });
  const person = client();
  await person.signIn(renamed);
  await confirm(person, renamed.password);
  const ask = (email: string) => person.post('/panel/v1/login/email', { email });
  expect((await ask('new@acme.test\r\nBcc: x@example.com')).status).toBe(422);
  const before = smtp.mails.length;
  expect((await ask('new@acme.test')).status).toBe(202);
  expect((await client().signIn({ ...renamed, email: 'new@acme.test' })).status).toBe(401);
  await runDueJobs(server.env);
  const mail = smtp.mails.slice(before).find(({ to }) => to[0] === 'new@acme.test');
  const [, token = ''] = /\/email#([\w-]+)/.exec((mail?.content ?? '').replaceAll('=\r\n', '')) ?? [];
  // Such a link sets no password.
  expect((await client().post('/panel/v1/login/set', { token, password: 'a long new password' })).status).toBe(410);
  expect((await client().post('/panel/v1/login/email/confirm', { token })).status).toBe(204);
  expect((await client().post('/panel/v1/login/email/confirm', { token })).status).toBe(410);
  await runDueJobs(server.env);
  expect(smtp.mails.slice(before).map(({ to }) => to[0])).toContain('renamed@acme.test');
  expect((await client().signIn({ ...renamed, email: 'new@acme.test' })).status).toBe(201);
  for (const n of [1, 2, 3, 4]) expect((await ask(`other${n}@acme.test`)).status).toBe(202);
  expect((await ask('other5@acme.test')).status).toBe(429);
});

test('invitations are limited a day, by account and by address', async () => {
  const invite = (email: string) =>
    browser.post('/panel/v1/members', { data: { type: 'members', attributes: { email, role: 'billing' } } });
  for (let n = 0; n < 3; n += 1) {
    const { resource, status } = await invite('again@acme.test');
    expect(status).toBe(201);
    await browser.delete(`/panel/v1/members/${resource.id}`);
  }
  const fourth = await invite('AGAIN@acme.test');
  expect([fourth.status, fourth.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  for (let n = 0; n < 17; n += 1) expect((await invite(`colleague${n}@acme.test`)).status).toBe(201);
  expect((await invite('one-too-many@acme.test')).status).toBe(429);
  expect((await invite('a@acme.test\r\nBcc: b@acme.test')).status).toBe(422);
});
