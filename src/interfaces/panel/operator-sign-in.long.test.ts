/** Operators sign in, act as a customer, and are in the audit log. */
import { beforeEach, describe, expect, it, test } from 'vitest';
import { login, PanelClient } from '../../../test/support/panel-client.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { updateAccount } from '../../business/accounts/accounts.ts';
import type { OperatorRole } from '../../engines/db/tables/operators.ts';
import { taskHandlers } from '../../run/boot/tasks.ts';
import { createCustomerKey, suspendAccount } from '../operator/accounts.writes.ts';
import { byBootstrap } from '../operator/act.ts';
import { createOperator, removeOperator, updateOperator } from '../operator/operators.writes.ts';
import { createHttpServer } from '../server/http-server.ts';
import { roomsWith } from '../server/rooms.ts';
import { createApplication } from '../verification/application.writes.ts';

const server = useOpened(() =>
  startTestServer({ account: { name: 'Acme', ...login, balance: '100' }, server: { requestLogDays: 7 } }),
);
let browser: PanelClient;
let made = 0;

beforeEach(() => {
  browser = new PanelClient(server.url);
});

async function operator(role: OperatorRole) {
  made += 1;
  const credentials = { email: `op${made}@trunkline.test`, password: 'an operator password' };
  const id = await createOperator(byBootstrap(server.env), { ...credentials, role });
  return { id, ...credentials };
}

const entries = async (action: string, subjectId: string) => {
  const { rows } = await server.env.pool.query(
    'select actor, source, account_id, after, reason from audit_log where action = $1 and subject_id = $2 order by id',
    [action, subjectId],
  );
  return rows;
};

describe('an operator', () => {
  it('signs in at the same place and uses /operator/v1 with the own role', async () => {
    const { email, password } = await operator('finance');
    const response = await browser.signIn({ email, password });
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ kind: 'operator', operator: { email, role: 'finance' }, account: null });
    expect((await browser.get('/operator/v1/accounts')).status).toBe(200);
    expect((await browser.get('/operator/v1/operators')).status).toBe(403);
    const body = { data: { type: 'accounts', id: server.accountId, attributes: { suspended: true, reason: 'x' } } };
    expect((await browser.patch(`/operator/v1/accounts/${server.accountId}`, body)).status).toBe(403);
  });

  it('has no account: what belongs to one is refused, and lists show the own sessions', async () => {
    const { email, password } = await operator('owner');
    await browser.signIn({ email, password });
    expect((await browser.get('/v3/balance')).status).toBe(401);
    expect((await browser.get('/panel/v1/api_keys')).status).toBe(403);
    expect(
      (await browser.post('/panel/v1/api_keys', { data: { type: 'api_keys', attributes: { name: 'x' } } })).status,
    ).toBe(403);
    expect((await browser.get('/panel/v1/sessions')).resources).toHaveLength(1);
  });

  it('needs the header that forms cannot send, and this origin', async () => {
    const { email, password } = await operator('owner');
    await browser.signIn({ email, password });
    const body = { data: { type: 'accounts', attributes: { name: 'Forged' } } };
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      expect((await browser.post('/operator/v1/accounts', body, headers)).status).toBe(401);
      expect((await browser.get('/operator/v1/accounts', headers)).status).toBe(401);
    }
  });

  it('is signed out by a new password and by being removed; a new role counts at once', async () => {
    const person = await operator('support');
    await browser.signIn(person);
    await updateOperator(byBootstrap(server.env), person.id, { role: 'read-only' });
    expect((await browser.get('/panel/v1/session')).body).toMatchObject({ operator: { role: 'read-only' } });
    await updateOperator(byBootstrap(server.env), person.id, { password: 'another operator password' });
    expect((await browser.get('/operator/v1/accounts')).status).toBe(401);
    await browser.signIn({ ...person, password: 'another operator password' });
    await removeOperator(byBootstrap(server.env), person.id);
    expect((await browser.get('/operator/v1/accounts')).status).toBe(401);
  });

  it('with the address of a customer is told apart by the password', async () => {
    const shared = { email: 'both@trunkline.test', password: 'the customer password' };
    await server.addAccount({ name: 'Both', ...shared });
    await createOperator(byBootstrap(server.env), {
      email: shared.email,
      password: 'the operator password',
      role: 'support',
    });
    expect((await browser.signIn(shared)).body).toMatchObject({ kind: 'account' });
    expect((await browser.signIn({ ...shared, password: 'the operator password' })).body).toMatchObject({
      kind: 'operator',
    });
  });
});

it('a customer’s session is nobody on /operator/v1', async () => {
  await browser.signIn();
  expect((await browser.get('/operator/v1/accounts')).status).toBe(401);
  expect((await browser.post('/panel/v1/acting', { account_id: server.accountId, reason: 'Ticket 9' })).status).toBe(
    403,
  );
});

it('a new password of an account ends its sessions', async () => {
  const theirs = { email: 'new-password@acme.test', password: 'the first password' };
  const { accountId } = await server.addAccount({ name: 'Renewed', ...theirs });
  await browser.signIn(theirs);
  await updateAccount(server.env, accountId, { password: 'the second password' });
  expect((await browser.get('/v3/balance')).status).toBe(401);
});

describe('acting as a customer', () => {
  it('shows the customer’s data, is marked in the session, and ends', async () => {
    const person = await operator('support');
    await browser.signIn(person);
    const began = await browser.post('/panel/v1/acting', { account_id: server.accountId, reason: 'Ticket 7' });
    expect(began.body).toMatchObject({ kind: 'operator', role: 'owner', account: { name: 'Acme' } });
    expect((await browser.get('/v3/balance')).resource.attributes.total_balance).toBe('100.00');
    expect((await browser.delete('/panel/v1/acting')).body).toMatchObject({ account: null });
    expect((await browser.get('/v3/balance')).status).toBe(401);
    expect(await entries('session.acting_began', server.accountId)).toMatchObject([
      { actor: person.email, reason: 'Ticket 7', account_id: server.accountId },
    ]);
    expect(await entries('session.acting_ended', server.accountId)).toHaveLength(1);
  });

  it('is in the audit log with every change, and hidden from the customer’s list of sessions', async () => {
    const person = await operator('owner');
    await browser.signIn(person, { 'user-agent': 'The operator' });
    await browser.post('/panel/v1/acting', { account_id: server.accountId, reason: 'Ticket 9' });
    const made = await browser.post('/panel/v1/api_keys', { data: { type: 'api_keys', attributes: { name: 'k' } } });
    expect(made.status).toBe(201);
    expect((await browser.delete(`/panel/v1/api_keys/${made.resource.id}`)).status).toBe(204);
    expect(made.resource.attributes.made_by_operator).toBe(true);
    expect(await entries('account.record_made', made.resource.id)).toMatchObject([
      { actor: person.email, account_id: server.accountId, reason: 'Ticket 9' },
    ]);
    const acted = (await entries('account.acted_as', server.accountId)).map(({ after }) => after.request);
    expect(acted).toEqual(['POST /panel/v1/api_keys', `DELETE /panel/v1/api_keys/${made.resource.id}`]);
    const requests = async () => {
      const text =
        'select distinct caller_kind, account_id from api_requests where caller_id = $1 and account_id is not null';
      return (await server.env.pool.query(text, [person.id])).rows;
    };
    await expect.poll(requests).toEqual([{ caller_kind: 'operator', account_id: server.accountId }]);
    const customer = new PanelClient(server.url);
    await customer.signIn();
    const agents = (await customer.get('/panel/v1/sessions')).resources.map(({ attributes }) => attributes.user_agent);
    expect(agents).not.toContain('The operator');
  });

  it('needs a reason', async () => {
    await browser.signIn(await operator('support'));
    for (const reason of [undefined, '', '  ']) {
      expect((await browser.post('/panel/v1/acting', { account_id: server.accountId, reason })).status).toBe(400);
    }
  });

  it('allows what comes nearest to the own role', async () => {
    const person = await operator('reviewer');
    await browser.signIn(person);
    await browser.post('/panel/v1/acting', { account_id: server.accountId, reason: 'Ticket 9' });
    expect((await browser.get('/v3/balance')).status).toBe(200);
    const response = await browser.post('/v3/orders', { data: { type: 'orders', attributes: { items: [] } } });
    expect([response.status, JSON.stringify(response.body)]).toEqual([403, expect.stringContaining('role read-only')]);
  });
});

describe('the audit log', () => {
  it('has sign-ins, failures and the lock-out once, with the address and without who the customer is', async () => {
    const person = await operator('support');
    for (let n = 0; n < 5; n += 1) await browser.signIn({ ...person, password: 'wrong' });
    expect((await browser.signIn(person)).status).toBe(429);
    expect(await entries('session.refused', person.id)).toHaveLength(5);
    expect(await entries('session.locked', person.id)).toMatchObject([{ actor: person.email, source: '127.0.0.1' }]);
    server.clock.advance(60);
    await browser.signIn(person);
    await browser.delete('/panel/v1/session');
    expect(await entries('session.opened', person.id)).toHaveLength(1);
    expect(await entries('session.ended', person.id)).toHaveLength(1);
    await browser.signIn();
    expect((await entries('session.opened', server.accountId)).at(-1)).toMatchObject({ actor: 'customer' });
    const { rows } = await server.env.pool.query(
      "select 1 from audit_log where strpos(audit_log::text, 'acme.test') > 0",
    );
    expect(rows).toEqual([]);
  });
});

describe('a port without the operator’s interface', () => {
  it('lets no operator in, and takes none of their sessions on any interface', async () => {
    const app = await createHttpServer(server.env, {
      rooms: roomsWith(taskHandlers, 'any', null, { operators: false }),
    });
    const url = await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      const person = await operator('owner');
      expect((await new PanelClient(url).signIn(person)).status).toBe(401);
      await browser.signIn(person);
      await browser.post('/panel/v1/acting', { account_id: server.accountId, reason: 'Ticket 9' });
      expect((await browser.get('/v3/balance')).status).toBe(200);
      const elsewhere = new PanelClient(url);
      elsewhere.cookie = browser.cookie;
      for (const path of ['/v3/balance', '/sandbox/v1/clock', '/panel/v1/session', '/panel/v1/api_keys']) {
        expect([path, (await elsewhere.get(path)).status]).toEqual([path, 401]);
      }
      expect((await elsewhere.get('/operator/v1/accounts')).status).toBe(404);
    } finally {
      await app.close();
    }
  });
});

test('a suspended account makes no key and no other way in, whoever asks; it may end access', async () => {
  const theirs = { email: 'suspended@acme.test', password: 'a long first password' };
  const { accountId } = await server.addAccount({ name: 'Suspended', ...theirs });
  await browser.signIn(theirs);
  const key = { data: { type: 'api_keys', attributes: { name: 'k' } } };
  const before = await browser.post('/panel/v1/api_keys', key);
  await suspendAccount(byBootstrap(server.env), accountId, { reason: 'Unpaid invoice 7' });
  const application = { data: { type: 'otp_applications', attributes: { name: 'a' } } };
  const member = { data: { type: 'members', attributes: { email: 'm@acme.test', role: 'owner' } } };
  for (const [path, body] of Object.entries({ api_keys: key, otp_applications: application, members: member })) {
    const refused = await browser.post(`/panel/v1/${path}`, body);
    expect([refused.status, refused.errors[0]?.detail]).toEqual([403, 'Unpaid invoice 7']);
  }
  await expect(createCustomerKey(byBootstrap(server.env), accountId, { name: 'k' })).rejects.toThrow('is suspended');
  await expect(createApplication(server.env, accountId, { name: 'a' })).rejects.toThrow('is suspended');
  expect((await browser.get('/panel/v1/api_keys')).status).toBe(200);
  expect((await browser.delete(`/panel/v1/api_keys/${before.resource.id}`)).status).toBe(204);
});
