/**
 * Carriers, providers and their routes over HTTP: stored and audited as the commands do it, and no secret is ever
 * shown.
 */
import { expect, test } from 'vitest';
import { runDueJobs } from '../../../../test/support/environment.ts';
import { addOperator } from '../../../../test/support/operator.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';
import { byBootstrap } from '../act.ts';
import { addCarrier } from './carriers.writes.ts';
import { addProvider } from './providers.writes.ts';

const server = useOpened(() => startTestServer());
const operator = useMade(() => addOperator(server));

const document = (type: string, attributes: object, rest: object = {}) => ({ data: { type, attributes, ...rest } });
const shown = async (path: string) => (await operator.client.get(path)).resource.attributes;
const auditOf = async (id: string) =>
  (await operator.client.get(`/audit_entries?filter[subject_id]=${id}`)).resources.map(({ attributes }) => attributes);

test('a carrier is added, changed and removed; its password is stored and never shown', async () => {
  const sent = {
    name: 'acme',
    host: 'sip.acme.test',
    addresses: ['192.0.2.7'],
    username: 'u',
    password: 'hidden word',
  };
  const created = await operator.client.request('POST', '/carriers', document('carriers', sent));
  expect(created.status, created.text).toBe(201);
  const { id, attributes } = created.resource;
  expect(attributes).toMatchObject({ name: 'acme', username: 'u', has_password: true, addresses: ['192.0.2.7/32'] });
  const row = await server.env.db.selectFrom('carriers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  expect(row.sealed_password).not.toBeNull();

  const change = document('carriers', { enabled: false, prefixes: ['49'], reason: 'outage' }, { id });
  expect((await operator.client.request('PATCH', `/carriers/${id}`, change)).status).toBe(200);
  expect(await shown(`/carriers/${id}`)).toMatchObject({ enabled: false, prefixes: ['49'], has_password: true });
  expect(await shown(`/carriers/${id}`)).toMatchObject({ user_phone: false, reliable_provisionals: 'supported' });
  const sip = { user_phone: true, reliable_provisionals: 'required' };
  await operator.client.request('PATCH', `/carriers/${id}`, document('carriers', sip, { id }));
  expect(await shown(`/carriers/${id}`)).toMatchObject({ ...sip, enabled: false, has_password: true });
  const odd = document('carriers', { reliable_provisionals: 'always' }, { id });
  expect((await operator.client.request('PATCH', `/carriers/${id}`, odd)).status).toBe(422);
  const lonely = document('carriers', { password: 'another' }, { id });
  expect((await operator.client.request('PATCH', `/carriers/${id}`, lonely)).status).toBe(422);
  const taken = await operator.client.request('POST', '/carriers', document('carriers', { name: 'acme' }));
  expect([taken.status, taken.text]).toEqual([422, expect.stringContaining('already')]);
  expect((await operator.client.request('DELETE', `/carriers/${id}`)).status).toBe(204);
  const entries = await auditOf(id);
  expect(entries.map(({ action }) => action)).toEqual([
    ...['carrier.removed', 'carrier.updated', 'carrier.updated', 'carrier.created'],
  ]);
  expect(entries[1]).toMatchObject({ before: { user_phone: false }, after: sip });
  expect(entries[2]).toMatchObject({
    reason: 'outage',
    before: { enabled: true, prefixes: null },
    after: { enabled: false, prefixes: ['49'] },
  });
  expect(JSON.stringify(entries)).not.toContain('hidden word');
});

test('a provider keeps what a change does not send, and hides what looks like a credential', async () => {
  const settings = { url: 'https://sms.test/', headers: { 'X-Api-Key': 'hidden word', 'X-Brand': 'ours' } };
  const sent = document('providers', { name: 'texts', kind: 'http', settings, secret: 'hidden word' });
  const created = await operator.client.request('POST', '/providers', sent);
  expect(created.status, created.text).toBe(201);
  expect(created.text).not.toContain('hidden word');
  const { id, attributes } = created.resource;
  expect(attributes).toMatchObject({
    has_secret: true,
    settings: { headers: { 'X-Api-Key': '***', 'X-Brand': 'ours' } },
  });
  expect((await operator.client.request('POST', '/providers', sent)).status).toBe(422);

  const back = document('providers', { settings: attributes?.settings }, { id });
  expect((await operator.client.request('PATCH', `/providers/${id}`, back)).text).toContain('{{SECRET}}');
  const off = document('providers', { enabled: false, reason: 'too dear' }, { id });
  expect((await operator.client.request('PATCH', `/providers/${id}`, off)).status).toBe(200);
  const stored = await server.env.db
    .selectFrom('verification_providers')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(stored).toMatchObject({ enabled: false, settings });
  expect(stored.sealed_secret).not.toBeNull();
  expect(JSON.stringify(await auditOf(id))).not.toContain('hidden word');
});

test('the secret of receipts is set, replaced and removed; receipts are taken with the one in force', async () => {
  const settings = { url: 'https://sms.test/', receipt: { message_id: 'id=(.+)', delivered: 'ok', failed: 'no' } };
  const add = (attributes: object) => operator.client.request('POST', '/providers', document('providers', attributes));
  const { id } = (await add({ name: 'receipts', kind: 'http', settings })).resource;
  const change = (attributes: object) =>
    operator.client.request('PATCH', `/providers/${id}`, document('providers', attributes, { id }));
  // 400: let in, but the receipt names no message.
  const statusWith = async (secret: string) => {
    const headers = { authorization: `Bearer ${secret}` };
    return (await fetch(`${server.url}/providers/receipts/receipts`, { method: 'POST', headers, body: '-' })).status;
  };
  const [first, second] = ['the first secret of receipts', 'the second secret of receipts'].map((text) =>
    text.replaceAll(' ', '-'),
  );
  expect(await shown(`/providers/${id}`)).toMatchObject({ has_receipt_secret: false });
  expect(await statusWith(String(first))).toBe(401);
  expect((await change({ receipt_secret: 'too short' })).status).toBe(422);
  await server.env.db.updateTable('verification_providers').set({ failures: 3 }).where('id', '=', id).execute();
  const set = await change({ receipt_secret: first, reason: 'asked for' });
  expect([set.status, set.text.includes(String(first))]).toEqual([200, false]);
  expect(await shown(`/providers/${id}`)).toMatchObject({ has_receipt_secret: true, failures: 3 });
  expect(await statusWith(String(first))).toBe(400);
  await change({ receipt_secret: second, enabled: false });
  expect([await statusWith(String(first)), await statusWith(String(second))]).toEqual([401, 400]);
  await change({ receipt_secret: null });
  expect(await statusWith(String(second))).toBe(401);
  const entries = await auditOf(id);
  expect(entries.map(({ action }) => action)).toEqual([
    ...['provider.receipts_renewed', 'provider.saved', 'provider.receipts_renewed', 'provider.saved'],
  ]);
  expect(entries[2]).toMatchObject({ reason: 'asked for', after: { name: 'receipts' } });
  expect(entries[1]?.after).toMatchObject({ receipt_secret: 'changed', enabled: false });
  expect(JSON.stringify(entries)).not.toContain('secret-of-receipts');

  const smpp = { host: 'smsc.test', port: 2775, system_id: 'us' };
  const other = (await add({ name: 'smsc', kind: 'smpp', settings: smpp })).resource.id;
  const refused = await operator.client.request(
    'PATCH',
    `/providers/${other}`,
    document('providers', { receipt_secret: first }, { id: other }),
  );
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('no HTTP provider')]);
});

test('routes to a carrier and to a provider: added once, moved, removed', async () => {
  const carrier = await operator.client.request('POST', '/carriers', document('carriers', { name: 'routed' }));
  const provider = await operator.client.request(
    'POST',
    '/providers',
    document('providers', { name: 'routed', kind: 'http', settings: { url: 'https://sms.test/' } }),
  );
  const cases = [
    [
      'carrier_routes',
      { prefix: '49', weight: 5 },
      { carrier: { data: { type: 'carriers', id: carrier.resource.id } } },
    ],
    [
      'provider_routes',
      { prefix: '49', delivery_method: 'sms' },
      { provider: { data: { type: 'providers', id: provider.resource.id } } },
    ],
  ] as const;
  for (const [type, attributes, relationships] of cases) {
    const route = document(type, attributes, { relationships });
    const first = await operator.client.request('POST', `/${type}`, route);
    expect([first.status, first.resource.attributes]).toEqual([201, expect.objectContaining({ priority: 10 })]);
    expect((await operator.client.request('POST', `/${type}`, route)).resource.id).toBe(first.resource.id);
    const moved = document(type, { priority: 3 }, { id: first.resource.id });
    const response = await operator.client.request('PATCH', `/${type}/${first.resource.id}`, moved);
    expect(response.resource.attributes).toMatchObject({ ...attributes, priority: 3 });
    expect((await operator.client.request('DELETE', `/${type}/${first.resource.id}`)).status).toBe(204);
    expect((await operator.client.get(`/${type}`)).resources).toEqual([]);
    // An empty prefix is all numbers.
    const all = document(type, { ...attributes, prefix: '' }, { relationships });
    const toAll = await operator.client.request('POST', `/${type}`, all);
    expect([toAll.status, toAll.resource.attributes]).toEqual([201, expect.objectContaining({ prefix: '' })]);
    const blank = document(type, { ...attributes, prefix: ' ' }, { relationships });
    expect((await operator.client.request('POST', `/${type}`, blank)).status).toBe(422);
    const found = await operator.client.get(`/${type}?filter[prefix]=`);
    expect(found.resources.map(({ id }) => id)).toEqual([toAll.resource.id]);
  }
});

test('a test needs a provider with a destination, or a carrier with a host', async () => {
  const carrier = await addCarrier(byBootstrap(server.env), { name: 'tested', host: '127.0.0.1', port: 9 });
  const request = (attributes: object, relationships: object) =>
    operator.client.request('POST', '/peer_tests', document('peer_tests', attributes, { relationships }));
  const created = await request({}, { carrier: { data: { type: 'carriers', id: carrier } } });
  expect(created.resource.attributes).toMatchObject({ status: 'waiting', peer: 'tested', destination: null });
  const found = await operator.client.get(`/peer_tests?filter[carrier.id]=${carrier}`);
  expect(found.resources.map(({ id }) => id)).toEqual([created.resource.id]);
  const audit = await operator.client.get('/audit_entries?filter[action]=peer_test.requested');
  expect(audit.resources[0]?.attributes).toMatchObject({ after: { carrier: 'tested' } });
  expect((await request({ destination: '4915112345678' }, {})).status).toBe(422);
});

test('a test message goes through the provider that is tested, and its result is told', async () => {
  const receiver = await startReceiver(202, 500);
  const production = await startTestServer({ name: 'production' });
  try {
    const { client } = await addOperator(production, 'support');
    const settings = {
      url: receiver.url,
      headers: { 'content-type': 'application/json' },
      body: '{"to":"{{DESTINATION}}"}',
    };
    const providerId = await addProvider(byBootstrap(production.env), { name: 'texts', kind: 'http', settings });
    const sendTo = async (destination: string) => {
      const relationships = { provider: { data: { type: 'providers', id: providerId } } };
      const created = await client.request(
        'POST',
        '/peer_tests',
        document('peer_tests', { destination }, { relationships }),
      );
      expect(created.status, created.text).toBe(201);
      await runDueJobs(production.env);
      return (await client.get(`/peer_tests/${created.resource.id}`)).resource.attributes;
    };
    expect(await sendTo('+4915112345678')).toMatchObject({ status: 'passed', result: 'accepted', peer: 'texts' });
    expect(await sendTo('4915100000000')).toMatchObject({ status: 'failed', result: 'answered 500' });
    expect(receiver.received[0]?.body).toBe('{"to":"4915112345678"}');
  } finally {
    await production.close();
    await receiver.close();
  }
});
