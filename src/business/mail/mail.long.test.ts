/**
 * E-mails through a real SMTP server: low balances once per crossing, new passwords, invitations, and a server that is
 * away.
 */
import { expect, test } from 'vitest';
import { advanceClock, runDueJobs } from '../../../test/support/environment.ts';
import { startMailServer } from '../../../test/support/mail-server.ts';
import { addOperator } from '../../../test/support/operator.ts';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useMade, useOpened } from '../../../test/support/use.ts';
import { byBootstrap } from '../../interfaces/operator/act.ts';
import { adjustBalance } from '../../interfaces/operator/adjustments.ts';
import { smtpMailer } from './mailer.ts';

const publicUrl = 'https://numbers.example.test';
const smtp = useOpened(startMailServer);
const receiver = useOpened(() => startReceiver());
const server = useOpened(() =>
  startTestServer({
    publicUrl,
    mailer: smtpMailer(smtp.config),
    account: { name: 'Acme', ...login, balance: '100', callbackSecret: 'a secret of the customer' },
  }),
);
const operator = useMade(() => addOperator(server));
const browser = useMade(async () => {
  const client = new PanelClient(server.url);
  await client.signIn();
  return client;
});

const settle = () => runDueJobs(server.env);
const move = async (kind: 'credit' | 'debit', amount: string) => {
  await adjustBalance(byBootstrap(server.env), server.accountId, { kind, amount, reason: 'test' });
  await settle();
};
/** Subjects of the e-mails that have come since the last look. */
let seen = 0;
const newMails = () => {
  const mails = smtp.mails.slice(seen);
  seen = smtp.mails.length;
  return mails;
};
/** Quoted-printable lines put together again. */
const textOf = ({ content }: { content: string }) => content.replaceAll('=\r\n', '').replaceAll('=3D', '=');
const settings = (attributes: object) =>
  browser.patch(`/panel/v1/account_settings/${server.accountId}`, {
    data: { type: 'account_settings', id: server.accountId, attributes },
  });

test('a balance that falls below its threshold is told once per crossing, by signed callback and e-mail', async () => {
  const set = await settings({ low_balance_threshold: '50', low_balance_callback_url: `${receiver.url}/low` });
  expect(set.resource.attributes).toMatchObject({
    ...{ low_balance_threshold: '50.0', low_balance_callback_url: `${receiver.url}/low` },
  });
  await move('debit', '50');
  expect([newMails(), receiver.received]).toEqual([[], []]);
  await move('debit', '0.01');
  await move('debit', '10');
  const [mail, ...more] = newMails();
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ from: 'billing@trunkline.test', to: [login.email] });
  expect(mail?.content).toContain('Subject: Low balance: 49.99');
  expect(receiver.received).toHaveLength(1);
  const [callback] = receiver.received;
  expect(new URLSearchParams(callback?.body).get('balance')).toBe('49.99');
  expect(callback?.headers['x-service-signature']).toMatch(/^[0-9a-f]{40}$/);
  await move('credit', '20');
  await move('debit', '30');
  expect(newMails()).toHaveLength(1);
  expect(receiver.received).toHaveLength(2);
});

test('operators set the threshold too; setting one above the balance is no crossing, and null ends it', async () => {
  const path = `/accounts/${server.accountId}`;
  const patch = (attributes: object) =>
    operator.client.patch(path, { data: { type: 'accounts', id: server.accountId, attributes } });
  const changed = await patch({ low_balance_threshold: '1000', low_balance_callback_url: null });
  expect(changed.resource.attributes).toMatchObject({
    low_balance_threshold: '1000.0',
    low_balance_callback_url: null,
  });
  await move('debit', '1');
  expect(newMails()).toEqual([]);
  const { resources } = await operator.client.get(`/audit_entries?filter[action]=account.updated`);
  expect(JSON.stringify(resources[0]?.attributes)).toContain('1000');
  await patch({ low_balance_threshold: null });
  await move('credit', '2000');
  await move('debit', '2000');
  expect(newMails()).toEqual([]);
  const other = await server.addAccount({ name: 'No secret' });
  const refused = await operator.client.patch(`/accounts/${other.accountId}`, {
    data: {
      ...{ type: 'accounts', id: other.accountId },
      attributes: { low_balance_threshold: '1', low_balance_callback_url: 'https://example.com/' },
    },
  });
  expect([refused.status, refused.errors[0]?.detail]).toEqual([422, expect.stringContaining('callback secret')]);
});

test('an e-mail waits for a server that is away, and is given up after a while; its text is not kept', async () => {
  // The tests before have left 28.99, and e-mails of an earlier second.
  server.clock.advance(1);
  await settings({ low_balance_threshold: '20' });
  smtp.refuse(true);
  await move('debit', '15');
  const newest = () =>
    server.env.db.selectFrom('mails').selectAll().orderBy('created_at', 'desc').limit(1).executeTakeFirstOrThrow();
  const waiting = await newest();
  expect(waiting).toMatchObject({ attempts: 1, sent_at: null, last_error: expect.stringContaining('Mailbox busy') });
  expect(waiting.sealed_text).not.toContain('balance');
  smtp.refuse(false);
  await advanceClock(server.env, 61);
  expect(newMails()).toHaveLength(1);
  expect(await newest()).toMatchObject({ attempts: 2, sealed_text: null, recipient: null });
  await move('credit', '10');
  smtp.refuse(true);
  await move('debit', '15');
  await advanceClock(server.env, 3 * 86_400);
  smtp.refuse(false);
  expect(await newest()).toMatchObject({
    attempts: 6,
    sent_at: null,
    sealed_text: null,
    given_up_at: expect.any(Date),
  });
  expect(newMails()).toEqual([]);
  await browser.signIn();
});

test('a forgotten password is set by a link from an e-mail, and strangers learn nothing', async () => {
  const anybody = new PanelClient(server.url);
  expect(JSON.parse((await anybody.get('/panel/v1/login/forgotten')).text)).toEqual({ by_email: true });
  const [known, unknown] = [
    await anybody.post('/panel/v1/login/forgotten', { email: login.email }),
    await anybody.post('/panel/v1/login/forgotten', { email: 'nobody@acme.test' }),
  ];
  expect([known.status, known.text, unknown.status]).toEqual([202, unknown.text, 202]);
  await settle();
  const [mail, ...more] = newMails();
  expect(more).toEqual([]);
  expect(mail?.to).toEqual([login.email]);
  const [, token = ''] =
    /https:\/\/numbers\.example\.test\/password#([\w-]+)/.exec(textOf(mail ?? { content: '' })) ?? [];
  const password = 'an entirely new password';
  expect((await anybody.post('/panel/v1/login/set', { token, password })).status).toBe(204);
  expect((await anybody.signIn({ email: login.email, password })).status).toBe(201);
  await settle();
  expect(newMails().map(({ content }) => /Subject: (.*)/.exec(content)?.[1])).toEqual([
    'The password of your login was changed',
  ]);
  const stored = await server.env.pool.query(`select count(*)::int as count from mails where sealed_text is not null`);
  expect(stored.rows[0].count).toBe(0);
  await browser.signIn({ email: login.email, password });
});

test('who is invited gets the link by e-mail; without SMTP settings everything is as before', async () => {
  const invited = { type: 'members', attributes: { email: 'new@acme.test', role: 'billing' } };
  const { resource } = await browser.post('/panel/v1/members', { data: invited });
  await settle();
  const [mail] = newMails();
  expect(mail?.to).toEqual(['new@acme.test']);
  expect(textOf(mail ?? { content: '' })).toContain(`${publicUrl}${resource.attributes.invitation}`);

  const silent = await startTestServer({ account: { ...login } });
  const client = new PanelClient(silent.url);
  await client.signIn();
  expect(JSON.parse((await client.get('/panel/v1/login/forgotten')).text)).toEqual({ by_email: false });
  expect((await client.post('/panel/v1/login/forgotten', { email: login.email })).status).toBe(409);
  const added = await client.post('/panel/v1/members', { data: invited });
  expect(added.resource.attributes.invitation).toMatch(/^\/password#/);
  expect((await silent.env.pool.query('select from mails')).rowCount).toBe(0);
  await silent.close();
});

test('a wrong password of the server is an error that does not name it', async () => {
  const mailer = smtpMailer({ ...smtp.config, password: 'wrong one' });
  const failed = mailer.send({ to: 'a@b.test', subject: 's', text: 't' });
  await expect(failed).rejects.toThrow(/Invalid login/);
  await expect(failed).rejects.not.toThrow(/wrong one/);
});
