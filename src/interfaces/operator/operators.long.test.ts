/** Keys of operators: addresses, last use, revocation, the last owner; and what the audit log and adjustments keep. */
import { expect, test } from 'vitest';
import { addOperator } from '../../../test/support/operator.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { verifyLedger } from '../../business/money/ledger-checks.ts';
import { applyBootstrap } from '../bootstrap/apply.ts';
import { changeAccount } from './accounts.writes.ts';
import { byBootstrap } from './act.ts';
import { removeOperator, revokeOperatorKey, updateOperator } from './operators.writes.ts';

const server = useOpened(() => startTestServer({ account: { name: 'Acme', email: 'ops@acme.test', balance: '10' } }));

test('a key works from its addresses only, remembers its use, and ends at once when it is revoked', async () => {
  const elsewhere = await addOperator(server, 'owner', { allowedIps: ['192.0.2.0/24'] });
  expect((await elsewhere.client.get('/accounts')).status).toBe(401);
  const here = await addOperator(server, 'owner', { allowedIps: ['127.0.0.0/8'] });
  expect((await here.client.get('/accounts')).status).toBe(200);
  const attributesOf = async () => (await here.client.get(`/operator_keys/${here.keyId}`)).resource.attributes;
  await expect.poll(attributesOf).toMatchObject({
    last_used_at: server.clock.now().toISOString(),
    allowed_ips: ['127.0.0.0/8'],
    revoked_at: null,
  });
  await revokeOperatorKey(byBootstrap(server.env), here.keyId);
  await expect.poll(async () => (await here.client.get('/accounts')).status).toBe(401);
});

test('a new role counts at once; the last owner stays', async () => {
  const owner = await addOperator(server);
  const { rows } = await server.env.pool.query(`select id from operators where role = 'owner' and id <> $1`, [
    owner.id,
  ]);
  for (const { id } of rows) await removeOperator(byBootstrap(server.env), id);
  expect((await owner.client.delete(`/operators/${owner.id}`)).status).toBe(422);
  const demotion = { data: { type: 'operators', id: owner.id, attributes: { role: 'support' } } };
  expect((await owner.client.patch(`/operators/${owner.id}`, demotion)).status).toBe(422);
  const support = await addOperator(server, 'support');
  expect((await support.client.get('/operators')).status).toBe(403);
  await updateOperator(byBootstrap(server.env), support.id, { role: 'owner' });
  await expect.poll(async () => (await support.client.get('/operators')).status).toBe(200);
});

test('the bootstrap file makes operators once', async () => {
  const wanted = {
    email: 'Boot@trunkline.test',
    password: 'at least 12 characters',
    role: 'finance' as const,
    api_keys: [{ name: 'ci', key: 'a key from the bootstrap file' }],
  };
  for (const _time of [1, 2])
    await applyBootstrap(server.env, { catalogue: null, carriers: [], accounts: [], operators: [wanted] });
  const { client } = await addOperator(server);
  const { resources } = await client.get('/operators?filter[email]=boot@trunkline.test&include=keys');
  expect(resources).toMatchObject([{ attributes: { role: 'finance' }, relationships: { keys: { data: [{}] } } }]);
  const booted = client.with({ key: 'a key from the bootstrap file' });
  expect((await booted.get('/accounts')).status).toBe(200);
});

test('an act that fails leaves no entry; entries cannot be changed', async () => {
  const count = async () => (await server.env.pool.query('select count(*)::int as n from audit_log')).rows[0].n;
  const before = await count();
  const acting = byBootstrap(server.env);
  await expect(changeAccount(acting, server.accountId, { limits: { nothing: 1 } })).rejects.toThrow('no limit');
  expect(await count()).toBe(before);
  await changeAccount(acting, server.accountId, { limits: { reservations: 25 }, password: 'a long password' });
  const entry = await server.env.db.selectFrom('audit_log').selectAll().orderBy('id', 'desc').executeTakeFirstOrThrow();
  expect(entry).toMatchObject({ action: 'account.updated', before: { limits: { reservations: 10 } } });
  expect(entry.after).toMatchObject({ limits: { reservations: 25 }, password: 'changed' });
  expect(JSON.stringify(entry)).not.toMatch(/a long password|scrypt|acme/i);
  for (const statement of [`update audit_log set actor = 'nobody'`, 'delete from audit_log', 'truncate audit_log']) {
    await expect(server.env.pool.query(statement)).rejects.toThrow('append only');
  }
});

test('an adjustment moves the balance through the ledger, and is found there and in the CSV of the audit log', async () => {
  const { client, email } = await addOperator(server, 'finance');
  const account = { data: { type: 'accounts', id: server.accountId } };
  const adjust = (kind: string, amount: string) =>
    client.post('/adjustments', {
      data: {
        type: 'adjustments',
        attributes: { kind, amount, reason: '=goodwill, "once"' },
        relationships: { account },
      },
    });
  expect((await adjust('credit', '2.5')).status).toBe(201);
  const debit = await adjust('debit', '20');
  expect(debit.resource.attributes).toMatchObject({ amount: '20.0', actor: email });
  expect((await adjust('credit', '0')).status).toBe(422);
  const found = (await client.get('/accounts?filter[search]=ACME.test')).resources;
  expect(found.map(({ attributes }) => attributes.balance)).toEqual(['-7.5']);
  const ledger = await client.get(`/ledger_entries?filter[reference]=${debit.resource.id}&filter[ledger]=customer`);
  expect(ledger.resources.map(({ attributes }) => [attributes.cause, attributes.amount])).toEqual([
    ['adjustment', '-20.0'],
  ]);
  expect((await verifyLedger(server.env.db)).filter(({ offences }) => offences.length > 0)).toEqual([]);

  const csv = (await client.get(`/audit_entries.csv?filter[actor]=${email}`)).text.split('\r\n');
  expect(csv).toHaveLength(4);
  expect(csv[0]).toBe('at,actor,source,action,subject_type,subject_id,account,before,after,reason');
  expect(csv[1]).toContain(`,${server.accountId},`);
  expect(csv[1]).toContain(`"'=goodwill, ""once"""`);
});
