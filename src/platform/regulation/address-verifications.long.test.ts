import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkedFetch } from '../../../test/support/checked-fetch.ts';
import { uploadedFile } from '../../../test/support/encrypted-upload.ts';
import { advanceClock, runDueJobs } from '../../../test/support/environment.ts';
import {
  document,
  germany,
  link,
  made,
  makeAddress,
  makeIdentity,
  makePaperwork,
} from '../../../test/support/paperwork.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../test/support/registered-number.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { idOf } from '../../../test/support/small-catalogue.ts';
import { nameBasedId } from '../../catalogue/ids.ts';
import { setAutoDecision } from './auto-decision.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ account: { balance: '1000' } });
  await loadPaperworkCatalogue(server);
});
afterAll(() => server.close());

const REQUIREMENT = link('address_requirements', nameBasedId('address_requirements', 'DE', 'Local'));

const decide = (id: string, body: object, key = server.key) =>
  checkedFetch(`${server.url}/sandbox/v1/address_verifications/${id}/decision`, {
    method: 'POST',
    headers: { 'api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const submit = (address: string, dids: string[], attributes: object = {}, links: object = {}, client = server.client) =>
  client.post(
    '/address_verifications?include=dids,address',
    document(
      'address_verifications',
      { ...attributes },
      {
        address: link('addresses', address),
        dids: dids.map((id) => link('dids', id)),
        ...links,
      },
    ),
  );

const details = (answer: { errors: { detail: string }[] }) => answer.errors.map(({ detail }) => detail);
const lastDelivery = async () => {
  const { rows } = await server.env.pool.query(
    'select url, method, payload, sealed_signing_key from deliveries order by created_at desc, id desc limit 1',
  );
  return rows[0];
};

describe('the dry run', () => {
  const validate = (identity: string | null, address: string | null) =>
    server.client.post(
      '/address_requirement_validations',
      document(
        'address_requirement_validations',
        {},
        {
          address_requirement: REQUIREMENT,
          identity: identity ? link('identities', identity) : null,
          address: address ? link('addresses', address) : null,
        },
      ),
    );

  test('is satisfied by complete paperwork, and carries the requirement’s id', async () => {
    const { identity, address } = await makePaperwork(server);
    const answer = await validate(identity, address);
    expect([answer.status, answer.body]).toEqual([
      201,
      { data: { id: REQUIREMENT.id, type: 'address_requirement_validations' }, meta: { api_version: '2026-04-16' } },
    ]);
    expect((await validate(null, address)).status).toBe(201);
  });

  test('names everything that is missing', async () => {
    const identity = await makeIdentity(server.client, { birth_date: null });
    const address = await made(
      server.client,
      'addresses',
      { address: '10 High Street', city_name: 'London', postal_code: 'SW1' },
      { identity: link('identities', identity), country: link('countries', idOf('countries', 'GB')) },
    );
    const answer = await validate(identity, address);
    expect([answer.status, details(answer)]).toEqual([
      422,
      [
        'Birth Date is required for Personal Identity',
        '1 Identity Proof(s) (National ID, Passport) required',
        'Address in Germany required',
        '1 Address Proof(s) (Utility Bill, Rental Receipt, Copy of Phone Bill) required',
      ],
    ]);
    expect(answer.errors[0]).toMatchObject({ code: '100', source: { pointer: '/data' } });
  });

  test('wants an identity or an address, and both of one person', async () => {
    expect(details(await validate(null, null))).toEqual(["identity - can't be blank"]);
    const address = await makeAddress(server.client, await makeIdentity(server.client));
    expect(details(await validate(await makeIdentity(server.client), address))).toEqual(['address - is invalid']);
  });
});

test('from submission to approval: the number waits, is released, and its owner is told', async () => {
  const { identity, address, identityProof } = await makePaperwork(server);
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  expect((await server.client.get(`/dids/${did}`)).resource.attributes).toMatchObject({
    awaiting_registration: true,
    blocked: true,
    expires_at: null,
  });
  const callback = { callback_url: 'https://hooks.example.net/av', callback_method: 'post' };
  const answer = await submit(address, [did], { ...callback, external_reference_id: 'av-7' });
  expect(answer.status).toBe(201);
  expect(answer.resource.attributes).toEqual({
    reference: expect.stringMatching(/^[A-Z]{3}-\d{6}$/),
    status: 'pending',
    reject_reasons: null,
    reject_comment: null,
    service_description: null,
    ...callback,
    external_reference_id: 'av-7',
    created_at: server.clock.now().toISOString(),
  });
  expect(answer.resource.relationships.dids?.data).toEqual([link('dids', did)]);
  const { id } = answer.resource;

  expect((await server.client.delete(`/proofs/${identityProof}`)).status).toBe(422);
  const pending = `The address verification ${answer.resource.attributes.reference} is pending.`;
  for (const path of [`/addresses/${address}`, `/identities/${identity}`]) {
    const inUse = await server.client.delete(path);
    expect([inUse.status, inUse.errors]).toMatchObject([409, [{ code: '409', title: 'Conflict', detail: pending }]]);
  }
  expect((await server.client.get(`/addresses/${address}`)).resource.attributes.verified).toBe(false);

  const decided = await decide(id, { action: 'approve' });
  expect([decided.status, await decided.json()]).toEqual([
    200,
    { id, type: 'address_verifications', status: 'approved' },
  ]);
  const number = await server.client.get(`/dids/${did}?include=address_verification,identity,order`);
  expect(number.resource.attributes).toMatchObject({ awaiting_registration: false, blocked: false });
  expect(number.resource.attributes.expires_at).toBe('2026-07-15T12:00:00.000Z');
  expect(number.resource.relationships.identity?.data).toEqual(link('identities', identity));
  expect(number.included.find(({ type }) => type === 'orders')?.attributes.items).toMatchObject([
    { attributes: { billed_from: '2026-06-15', billed_to: '2026-07-15' } },
  ]);
  expect(number.resource.relationships.address_verification?.data).toEqual(link('address_verifications', id));
  expect((await server.client.get(`/addresses/${address}`)).resource.attributes.verified).toBe(true);
  expect((await server.client.get(`/identities/${identity}`)).resource.attributes.verified).toBe(true);
  expect(await lastDelivery()).toMatchObject({
    url: 'https://hooks.example.net/av',
    method: 'post',
    payload: { id, type: 'address_verifications', status: 'approved', reject_reason: '', reject_comment: '' },
    sealed_signing_key: expect.any(String),
  });
  expect((await decide(id, { action: 'reject', reasons: ['late'] })).status).toBe(409);
  const { attributes: owned } = (await server.client.get(`/dids/${did}`)).resource;
  expect(details(await server.client.delete(`/identities/${identity}`))).toEqual([
    `The number ${owned.number} is registered to this identity.`,
  ]);

  await advanceClock(server.env, 31 * 86_400);
  expect((await server.client.get(`/dids/${did}`)).resource.attributes.expires_at).toBe('2026-08-15T12:00:00.000Z');

  // A deleted address behind an approval is hidden, and stays linked.
  expect((await server.client.delete(`/addresses/${address}`)).status).toBe(204);
  expect((await server.client.get(`/addresses/${address}`)).status).toBe(404);
  const listed = await server.client.get(`/identities/${identity}?include=addresses`);
  expect(listed.resource.relationships.addresses?.data).toEqual([]);
  expect((await server.client.get(`/identities/${identity}/addresses`)).resources).toEqual([]);
  expect(details(await submit(address, [did]))).toEqual(['address - is invalid']);
  const linked = async () => {
    const shown = await server.client.get(`/address_verifications/${id}?include=address.identity`);
    return [shown.resource.relationships.address?.data, shown.included.map((each) => each.id)];
  };
  expect(await linked()).toEqual([link('addresses', address), [address, identity]]);
  expect((await server.client.get(`/address_verifications/${id}/address`)).resource.id).toBe(address);

  // So is its identity, once no number is registered to it; its papers are erased.
  const detach = { data: { type: 'dids', id: did, relationships: { address_verification: { data: null } } } };
  expect((await server.client.patch(`/dids/${did}`, detach)).status).toBe(200);
  expect((await server.client.delete(`/identities/${identity}`)).status).toBe(204);
  expect((await server.client.get(`/identities/${identity}`)).status).toBe(404);
  expect((await server.client.get(`/proofs/${identityProof}`)).status).toBe(404);
  expect(await linked()).toEqual([link('addresses', address), [address, identity]]);
  const links = { identity: link('identities', identity), country: germany() };
  const added = document('addresses', { address: 'a', city_name: 'b', postal_code: 'c' }, links);
  expect(details(await server.client.post('/addresses', added))).toEqual(['identity - is invalid']);
});

test('a number has one verification under review at a time', async () => {
  const account = await server.addAccount({ balance: '10' });
  const { address } = await makePaperwork(server, account);
  const [first = '', second = ''] = await buyNumbers(server, account.client, 'Berlin', 2);
  const submitted = (...dids: string[]) => submit(address, dids, {}, {}, account.client);
  const { id } = (await submitted(first)).resource;
  const refused = await submitted(first, second);
  expect([refused.status, refused.errors]).toMatchObject([
    422,
    [
      {
        detail: `dids/${first} - has a pending address verification`,
        source: { pointer: `/data/relationships/dids/${first}` },
      },
    ],
  ]);
  await decide(id, { action: 'reject', reasons: ['no'] }, account.key);
  expect((await submitted(first, second)).status).toBe(201);
});

test('a number that loses its verification waits for a registration again, within the time it has paid', async () => {
  const { address } = await makePaperwork(server);
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  const stateOf = async () => (await server.client.get(`/dids/${did}`)).resource.attributes;
  const balance = async () => (await server.client.get('/balance')).resource.attributes.balance;
  await decide((await submit(address, [did])).resource.id, { action: 'approve' });
  const { expires_at } = await stateOf();

  const detach = { data: { type: 'dids', id: did, relationships: { address_verification: { data: null } } } };
  await server.client.patch(`/dids/${did}`, detach);
  expect(await stateOf()).toMatchObject({ awaiting_registration: true, blocked: true, expires_at });

  await advanceClock(server.env, 86_400);
  await decide((await submit(address, [did])).resource.id, { action: 'approve' });
  expect(await stateOf()).toMatchObject({ awaiting_registration: false, blocked: false, expires_at });

  // It was used, so cancelling it gives nothing back.
  await server.client.patch(`/dids/${did}`, detach);
  const before = await balance();
  const cancel = { data: { type: 'dids', id: did, attributes: { terminated: true } } };
  await server.client.patch(`/dids/${did}`, cancel);
  await runDueJobs(server.env);
  expect([await balance(), (await stateOf()).terminated]).toEqual([before, true]);
});

test('a rejection tells why, leaves the number waiting, and a new submission takes its place', async () => {
  const { address } = await makePaperwork(server);
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  const callback = { callback_url: 'hooks.example.net/av?x=1', callback_method: 'get' };
  const { id } = (await submit(address, [did], callback)).resource;
  const reasons = ['Document is unreadable', 'House number missing'];
  expect((await decide(id, { action: 'reject', reasons, comment: 'Scan again in colour' })).status).toBe(200);
  expect((await server.client.get(`/address_verifications/${id}`)).resource.attributes).toMatchObject({
    status: 'rejected',
    reject_reasons: reasons,
    reject_comment: 'Scan again in colour',
  });
  expect((await lastDelivery()).payload).toEqual({
    id,
    type: 'address_verifications',
    status: 'rejected',
    reject_reason: 'Document is unreadable, House number missing',
    reject_comment: 'Scan again in colour',
  });
  expect((await server.client.get(`/dids/${did}`)).resource.attributes.awaiting_registration).toBe(true);
  const again = (await submit(address, [did])).resource;
  const shown = await server.client.get(`/dids/${did}?include=address_verification`);
  expect(shown.resource.relationships.address_verification?.data).toEqual(link('address_verifications', again.id));
  for (const query of [
    `filter[status]=Rejected`,
    `filter[address.id]=${address}&filter[status]=rejected`,
    `filter[reference_in]=${(await server.client.get(`/address_verifications/${id}`)).resource.attributes.reference}`,
  ]) {
    expect((await server.client.get(`/address_verifications?${query}`)).resources.map((one) => one.id)).toEqual([id]);
  }
});

test('a submission is judged by the requirement of its numbers, and leaves nothing when it fails', async () => {
  const { address, identity } = await makePaperwork(server);
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  const [free = ''] = await buyNumbers(server, server.client, 'London', 1);
  const file = link('encrypted_files', await uploadedFile(server, server.key));
  const count = async () =>
    (await server.env.pool.query('select count(*)::int as n from address_verifications')).rows[0].n;
  const before = await count();
  const elsewhere = await makeAddress(server.client, identity, { city_name: 'Town 001' });

  expect(details(await submit(address, [did], { service_description: 'hotline' }))).toEqual([
    'service description is not needed',
  ]);
  expect(details(await submit(address, [did], {}, { onetime_files: [file] }))).toEqual([
    'one-time document is not needed',
  ]);
  expect(details(await submit(elsewhere, [did]))).toEqual([
    'Address in Berlin required',
    '1 Address Proof(s) (Utility Bill, Rental Receipt, Copy of Phone Bill) required',
  ]);
  const unneeded = await submit(address, [free]);
  expect(unneeded.errors[0]).toMatchObject({
    detail: `dids/${free} - does not require registration`,
    source: { pointer: `/data/relationships/dids/${free}` },
  });
  expect(details(await submit(address, [did, did]))).toEqual(['dids - is invalid']);
  expect(details(await submit(address, []))).toEqual(["dids - can't be blank"]);
  expect(details(await submit(address, [did], { callback_url: 'https://a.example' }))).toEqual([
    "callback_method - can't be blank",
  ]);
  expect(details(await submit(address, [did], { callback_url: 'ftp://a', callback_method: 'post' }))).toEqual([
    'callback_url - is invalid',
  ]);
  expect(await count()).toBe(before);
});

test('papers of a decided submission are erased with the identity, the decision stays', async () => {
  const { db } = server.env;
  const form = await db
    .selectFrom('supporting_document_templates')
    .select('id')
    .where('permanent', '=', false)
    .executeTakeFirstOrThrow();
  const onetime = (id: string | null) =>
    db
      .updateTable('address_requirements')
      .set({ personal_onetime_document_id: id })
      .where('id', '=', REQUIREMENT.id)
      .execute();
  await onetime(form.id);
  const account = await server.addAccount({ balance: '10' });
  const { address, identity } = await makePaperwork(server, account);
  const [did = ''] = await buyNumbers(server, account.client, 'Berlin', 1);
  const name = 'Following Supporting Document(s) required';
  expect(details(await submit(address, [did], {}, {}, account.client))[0]).toMatch(name);
  const files = { onetime_files: [link('encrypted_files', await uploadedFile(server, account.key))] };
  const receiver = await startReceiver();
  const callback = { callback_url: receiver.url, callback_method: 'post' };
  const { id } = (await submit(address, [did], callback, files, account.client)).resource;
  await onetime(null);
  await decide(id, { action: 'reject', reasons: ['no'], comment: 'Jane Doe is younger' }, account.key);
  await runDueJobs(server.env);
  await receiver.close();
  expect(receiver.received[0]?.body).toContain('reject_comment=Jane');
  expect(await tablesThatSay(['Jane'], account.accountId)).toContain('deliveries');
  expect((await account.client.delete(`/identities/${identity}`)).status).toBe(204);
  expect(
    await db.selectFrom('stored_files').select('id').where('account_id', '=', account.accountId).execute(),
  ).toEqual([]);
  const { attributes } = (await account.client.get(`/address_verifications/${id}`)).resource;
  expect(attributes).toMatchObject({ status: 'rejected', reject_reasons: ['no'], reject_comment: null });
  expect(await tablesThatSay(['Jane', 'Doe', 'Unter den Linden 1'], account.accountId)).toEqual([]);
  const attempts = await server.env.pool.query('select request from delivery_attempts where request::text like $1', [
    '%Jane%',
  ]);
  expect(attempts.rows).toEqual([]);
});

/** The tables in which a row of the account has one of the texts. */
async function tablesThatSay(texts: readonly string[], accountId: string): Promise<string[]> {
  const { pool } = server.env;
  const { rows } = await pool.query(
    `select table_name from information_schema.columns where table_schema = 'public' and column_name = 'account_id'`,
  );
  const found = await Promise.all(
    rows.map(async ({ table_name }) => {
      const like = texts.map((text) => `%${text}%`);
      const hit = await pool.query(
        `select 1 from ${table_name} t where t.account_id = $1 and t::text like any($2) limit 1`,
        [accountId, like],
      );
      return hit.rows.length > 0 ? [table_name] : [];
    }),
  );
  return found.flat();
}

test('another account can neither use, see nor decide it', async () => {
  const other = await server.addAccount({ balance: '10' });
  const { address } = await makePaperwork(server);
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  const theirs = await makePaperwork(server, other);
  const [foreign = ''] = await buyNumbers(server, other.client, 'Berlin', 1);
  expect(details(await submit(theirs.address, [did]))).toEqual(['address - is invalid']);
  expect(details(await submit(address, [foreign]))).toEqual(['dids - is invalid']);
  const { id } = (await submit(address, [did])).resource;
  expect((await other.client.get(`/address_verifications/${id}`)).status).toBe(404);
  expect((await decide(id, { action: 'approve' }, other.key)).status).toBe(404);
  expect((await decide('nonsense', { action: 'approve' })).status).toBe(404);
  expect((await decide(id, { action: 'maybe' })).status).toBe(422);
});

test('an account that is set to it has its submissions decided at once', async () => {
  const account = await server.addAccount({ balance: '10' });
  const { address } = await makePaperwork(server, account);
  const [did = ''] = await buyNumbers(server, account.client, 'Berlin', 1);
  await setAutoDecision(server.env, account.accountId, 'approve');
  const { id } = (await submit(address, [did], {}, {}, account.client)).resource;
  await runDueJobs(server.env);
  expect((await account.client.get(`/address_verifications/${id}`)).resource.attributes.status).toBe('approved');
});

test('a submission is pending in the answer, however soon it is decided', async () => {
  const { address } = await makePaperwork(server);
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  // Sooner than any job: at the commit itself.
  await server.env.pool.query(`
    create function decided() returns trigger language plpgsql as $$
      begin update address_verifications set status = 'approved', decided_at = created_at where id = new.id; return null; end $$;
    create constraint trigger decided after insert on address_verifications deferrable initially deferred
      for each row execute function decided()`);
  const { resource } = await submit(address, [did]);
  await server.env.pool.query('drop function decided cascade');
  expect(resource.attributes.status).toBe('pending');
  expect((await server.client.get(`/address_verifications/${resource.id}`)).resource.attributes.status).toBe(
    'approved',
  );
});

test('a number that is never registered is taken back with its money after 30 days', async () => {
  const account = await server.addAccount({ balance: '10' });
  const [did = ''] = await buyNumbers(server, account.client, 'Berlin', 1);
  expect((await account.client.get('/balance')).resource.attributes.balance).toBe('9.20');
  await advanceClock(server.env, 30 * 86_400);
  expect((await account.client.get(`/dids/${did}`)).status).toBe(404);
  expect((await account.client.get('/balance')).resource.attributes.balance).toBe('10.00');
});

test('the requirement is found through the group, and by its old names', async () => {
  const group = await server.client.get(
    `/did_groups/${idOf('did_groups', 'Berlin')}?include=address_requirement.address_proof_types`,
  );
  expect(group.resource.relationships.address_requirement?.data).toEqual(REQUIREMENT);
  expect(group.included.filter(({ type }) => type === 'proof_types')).toHaveLength(3);
  const listed = await server.client.get(
    `/address_requirements?filter[country.id]=${germany().id}&include=country,business_onetime_document`,
  );
  expect(listed.resources.map(({ attributes }) => attributes.address_area_level)).toContain('city');
});
