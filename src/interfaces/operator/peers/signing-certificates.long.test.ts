/** Certificates that sign calls, over HTTP: loaded, rotated, served to everybody; their keys are never shown. */
import { beforeEach, expect, test } from 'vitest';
import { addOperator } from '../../../../test/support/operator.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';
import { testAuthority } from '../../../engines/stir/test-authority.fixture.ts';

const server = useOpened(() => startTestServer({ publicUrl: 'https://numbers.test/base' }));
const withoutUrl = useOpened(() => startTestServer());
const operator = useMade(() => addOperator(server));

/** The clock of the tests is not that of the database, which tells the states. */
async function moveClock(days: number): Promise<void> {
  server.clock.advance(days * 86_400);
  await server.env.db.updateTable('environment_state').set({ clock_stands_at: server.clock.now() }).execute();
}
beforeEach(async () => {
  await server.env.db.deleteFrom('signing_certificates').execute();
  await moveClock(0);
});

const root = testAuthority();
const between = root.issue({ name: 'Between', authority: true, numbers: null });
const issue = (name: string, changes: object = {}) =>
  between.issue({ name, until: '2026-09-01T00:00:00Z', ...changes });
const own = issue('Operator');

const document = (attributes: object, rest: object = {}) => ({
  data: { type: 'signing_certificates', attributes, ...rest },
});
const path = '/signing_certificates';

function create(name: string, issued = own, changes: object = {}, { client } = operator) {
  const given = { name, chain: issued.chain, private_key: issued.keyPem, ...changes };
  return client.request('POST', path, document(given));
}

const patch = (id: string, attributes: object) =>
  operator.client.request('PATCH', `${path}/${id}`, document(attributes, { id }));

const states = async () => {
  const { resources } = await operator.client.get(`${path}?sort=name`);
  return Object.fromEntries(resources.map(({ attributes }) => [attributes?.name, attributes?.state]));
};

const fetchChain = (url: unknown) => server.app.inject(new URL(String(url)).pathname.replace('/base', ''));

test('a certificate is loaded, served, switched off and removed; nobody is shown its key', async () => {
  const created = await create('first', own, { reason: 'signing begins' });
  expect(created.status, created.text).toBe(201);
  const { id, attributes } = created.resource;
  expect(attributes).toMatchObject({
    ...{ state: 'signs', signer: 'Operator', enabled: true, url: `https://numbers.test/base/stir/${id}.pem` },
    ...{ valid_from: '2026-01-01T00:00:00.000Z', valid_until: '2026-09-01T00:00:00.000Z' },
  });
  const row = await server.env.db.selectFrom('signing_certificates').selectAll().executeTakeFirstOrThrow();
  expect(row.sealed_private_key).not.toContain('PRIVATE');

  const served = await fetchChain(attributes?.url);
  expect([served.statusCode, served.body]).toEqual([200, own.chain]);
  expect(served.headers).toMatchObject({
    'content-type': 'application/pem-certificate-chain',
    'cache-control': 'public, max-age=86400',
  });
  expect((await server.app.inject({ method: 'POST', url: `/stir/${id}.pem` })).statusCode).toBe(405);
  for (const other of ['x.pem', `${server.accountId}.pem`, '%2e%2e%2fhealthz']) {
    expect((await server.app.inject(`/stir/${other}`)).statusCode).toBe(404);
  }

  const taken = await create('first');
  expect([taken.status, taken.text]).toEqual([422, expect.stringContaining('There is a certificate named')]);
  const refused = await operator.client.request('DELETE', `${path}/${id}`);
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('switch it off first')]);
  expect((await patch(id, { enabled: false, url: 'https://elsewhere.test/a.pem', reason: 'moved' })).status).toBe(200);
  // Heard by the process that serves it.
  await expect.poll(async () => (await fetchChain(attributes?.url)).statusCode).toBe(404);
  expect((await operator.client.request('DELETE', `${path}/${id}`)).status).toBe(204);

  const entries = (await operator.client.get(`/audit_entries?filter[subject_id]=${id}`)).resources;
  expect(entries.map((entry) => entry.attributes?.action)).toEqual([
    'signing_certificate.removed',
    'signing_certificate.updated',
    'signing_certificate.created',
  ]);
  expect(entries[1]?.attributes).toMatchObject({
    reason: 'moved',
    before: { enabled: true },
    after: { enabled: false },
  });
  const texts = [created.text, JSON.stringify(entries), (await operator.client.get(path)).text];
  for (const text of texts) expect(text).not.toContain('PRIVATE KEY');
});

test.each<[string, () => object, string]>([
  ['the key of another certificate', () => ({ private_key: between.keyPem }), 'does not fit'],
  ['no key', () => ({ private_key: 'none' }), 'The private key is missing'],
  ['no chain above it', () => ({ chain: own.pem }), 'The chain is incomplete'],
  ['a plain address', () => ({ url: 'http://certs.test/a.pem' }), 'is not an https address'],
])('%s: one sentence, and nothing is stored', async (_, changes, words) => {
  const refused = await create('wrong', own, changes());
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(words)]);
  expect(refused.text).not.toContain('PRIVATE KEY-');
  expect(await states()).not.toHaveProperty('wrong');
});

test('without a public https address the operator has to say where the chain is', async () => {
  const { client } = await addOperator(withoutUrl);
  const refused = await create('own', own, {}, { ...operator, client });
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Say at which https address')]);
  expect((await create('own', own, { url: 'https://certs.test/a.pem' }, { ...operator, client })).status).toBe(201);
});

test('the next one takes over when it becomes valid; /metrics says how long there is one', async () => {
  const metrics = async () => {
    const { body } = await server.app.inject('/metrics');
    return /trunkline_certificate_expiry_timestamp_seconds\{certificate="signing of calls".*?\} (\d+)/.exec(body)?.[1];
  };
  expect(await metrics()).toBeUndefined();
  const { id } = (await create('old')).resource;
  expect(await metrics()).toBe(String(Date.parse('2026-09-01') / 1000));
  await create('new', issue('New', { from: '2026-06-20T00:00:00Z', until: '2026-10-01T00:00:00Z' }));
  expect(await metrics()).toBe(String(Date.parse('2026-10-01') / 1000));
  expect(await states()).toEqual({ old: 'signs', new: 'next' });
  await moveClock(7);
  expect(await states()).toEqual({ old: 'ready', new: 'signs' });
  await patch(id, { enabled: false });
  expect(await states()).toEqual({ old: 'off', new: 'signs' });
  await moveClock(120);
  expect(await states()).toEqual({ old: 'ended', new: 'ended' });
});

test('a customer reaches none of it', async () => {
  const response = await fetch(`${server.url}/operator/v1${path}`, { headers: { 'api-key': server.key } });
  expect(response.status).toBe(401);
  expect((await fetch(`${server.url}/v3${path}`, { headers: { 'api-key': server.key } })).status).toBe(404);
});

test('an account is found by the origin in its signatures', async () => {
  const { attributes } = (await operator.client.get(`/accounts/${server.accountId}`)).resource;
  const found = await operator.client.get(`/accounts?filter[origid]=${attributes?.origid}`);
  expect(found.resources.map(({ id }) => id)).toEqual([server.accountId]);
});
