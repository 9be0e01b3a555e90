/** Operators sign in, act as a customer, and are in the audit log. */
import { beforeEach, describe, expect, it } from 'vitest';
import { login, PanelClient } from '../../test/support/panel-client.ts';
import { startTestServer } from '../../test/support/server.ts';
import { useOpened } from '../../test/support/use.ts';
import { updateAccount } from '../accounts/accounts.ts';
import type { OperatorRole } from '../db/tables/operators.ts';
import { byBootstrap } from '../operator/act.ts';
import { createOperator, removeOperator, updateOperator } from '../operator/operators.writes.ts';

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
  expect((await browser.post('/panel/v1/acting', { account_id: server.accountId })).status).toBe(403);
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
    await browser.post('/panel/v1/acting', { account_id: server.accountId });
    const made = await browser.post('/panel/v1/api_keys', { data: { type: 'api_keys', attributes: { name: 'k' } } });
    expect(made.status).toBe(201);
    expect((await browser.delete(`/panel/v1/api_keys/${made.resource.id}`)).status).toBe(204);
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

  it('allows what comes nearest to the own role', async () => {
    const person = await operator('reviewer');
    await browser.signIn(person);
    await browser.post('/panel/v1/acting', { account_id: server.accountId });
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
