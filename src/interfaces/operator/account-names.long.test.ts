/**
 * Operators change the name of an account and the address that signs in; the former address is told, and its links are
 * void.
 */
import { expect, test } from 'vitest';
import { runDueJobs } from '../../../test/support/environment.ts';
import { startMailServer } from '../../../test/support/mail-server.ts';
import { addOperator } from '../../../test/support/operator.ts';
import { PanelClient } from '../../../test/support/panel-client.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { smtpMailer } from '../../business/mail/mailer.ts';

const smtp = useOpened(startMailServer);
const server = useOpened(() =>
  startTestServer({ publicUrl: 'https://numbers.example.test', mailer: smtpMailer(smtp.config) }),
);
const former = { email: 'former@acme.test', password: 'the password stays' };
const signIn = async (email: string) => (await new PanelClient(server.url).signIn({ ...former, email })).status;

test('a name and an address are changed, and no other account can have them', async () => {
  const { accountId: id } = await server.addAccount({ name: 'Acme Ltd', ...former });
  await server.addAccount({ name: 'Other Ltd', email: 'other@acme.test', password: former.password });
  const support = await addOperator(server, 'support');
  const change = (attributes: object, { client } = support) =>
    client.patch(`/accounts/${id}`, { data: { type: 'accounts', id, attributes } });

  await new PanelClient(server.url).post('/panel/v1/login/forgotten', { email: former.email });
  await runDueJobs(server.env);
  const mail = smtp.mails.find(({ to }) => to[0] === former.email);
  const [, token = ''] = /\/password#([\w-]+)/.exec((mail?.content ?? '').replaceAll('=\r\n', '')) ?? [];
  expect(token).not.toBe('');

  const changed = await change({ name: 'Acme Holding', email: ' new@acme.test ' });
  expect(changed.resource.attributes).toMatchObject({ name: 'Acme Holding', email: 'new@acme.test' });
  expect([await signIn(former.email), await signIn('new@acme.test')]).toEqual([401, 201]);
  const set = { token, password: 'whoever reads the former box' };
  expect((await new PanelClient(server.url).post('/panel/v1/login/set', set)).status).toBe(410);
  await runDueJobs(server.env);
  const told = smtp.mails.filter(({ to }) => to[0] === former.email).map(({ content }) => content);
  expect(told.at(-1)).toContain('The e-mail address of your login was changed');

  expect((await change({ name: 'Other Ltd' })).errors[0]?.detail).toContain('already an account named "Other Ltd"');
  expect((await change({ email: 'other@acme.test' })).errors[0]?.detail).toContain(
    'already an account with the e-mail',
  );
  expect((await change({ email: 'nobody' })).status).toBe(422);
  expect((await change({ name: ' ' })).status).toBe(422);
  expect((await change({ name: null })).status).toBe(422);
  expect((await change({ name: 'Mine' }, await addOperator(server, 'finance'))).status).toBe(403);
  expect((await change({ email: null })).resource.attributes).toMatchObject({ name: 'Acme Holding', email: null });
  expect(await signIn('new@acme.test')).toBe(401);

  // The audit log outlives an erasure, so it says that they changed, not what they are.
  const { resources } = await support.client.get(
    `/audit_entries?filter[account.id]=${id}&filter[action]=account.updated`,
  );
  expect(resources.map(({ attributes }) => attributes.after)).toEqual([
    { email: 'changed' },
    { name: 'changed', email: 'changed' },
  ]);
});
