/** Decisions about submissions and what follows from them. */

import { beforeAll, expect, test } from 'vitest';
import { AddressSubmissions, berlinRequirement } from '../../../../test/support/address-submissions.ts';
import { expectDescribed } from '../../../../test/support/described-callbacks.ts';
import { uploadedFile } from '../../../../test/support/encrypted-upload.ts';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import { addFault } from '../../../../test/support/faults.ts';
import { document, germany, link, makePaperwork } from '../../../../test/support/paperwork.ts';
import { startReceiver } from '../../../../test/support/receiver.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../../test/support/registered-number.ts';
import { detailsOf } from '../../../../test/support/requests.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { setAutoDecision } from './decision.ts';

const server = useOpened(() => startTestServer({ account: { balance: '1000' } }));
beforeAll(() => loadPaperworkCatalogue(server));
const submissions = new AddressSubmissions(server);
const submit: AddressSubmissions['submit'] = (...words) => submissions.submit(...words);
const decide: AddressSubmissions['decide'] = (...words) => submissions.decide(...words);

test('from submission to approval: the number waits, is released, and its owner is told', async () => {
  const { identity, address, identityProof } = await makePaperwork(server);
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  expect((await server.client.get(`/dids/${did}`)).resource.attributes).toMatchObject({
    awaiting_registration: true,
    blocked: true,
    expires_at: null,
  });
  const callback = { callback_url: 'https://hooks.example.net/av', callback_method: 'post' };
  const response = await submit(address, [did], { ...callback, external_reference_id: 'av-7' });
  expect(response.status).toBe(201);
  expect(response.resource.attributes).toEqual({
    reference: expect.stringMatching(/^[A-Z]{3}-\d{6}$/),
    status: 'pending',
    reject_reasons: null,
    reject_comment: null,
    service_description: null,
    ...callback,
    external_reference_id: 'av-7',
    created_at: server.clock.now().toISOString(),
  });
  expect(response.resource.relationships.dids?.data).toEqual([link('dids', did)]);
  const { id } = response.resource;

  expect((await server.client.delete(`/proofs/${identityProof}`)).status).toBe(422);
  const pending = `The address verification ${response.resource.attributes.reference} is pending.`;
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
  expect(await submissions.lastDelivery()).toMatchObject({
    url: 'https://hooks.example.net/av',
    method: 'post',
    payload: { id, type: 'address_verifications', status: 'approved', reject_reason: '', reject_comment: '' },
    sealed_signing_key: expect.any(String),
  });
  expect((await decide(id, { action: 'reject', reasons: ['late'] })).status).toBe(409);
  const { attributes: owned } = (await server.client.get(`/dids/${did}`)).resource;
  expect(detailsOf(await server.client.delete(`/identities/${identity}`))).toEqual([
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
  expect(detailsOf(await submit(address, [did]))).toEqual(['address - is invalid']);
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
  expect(detailsOf(await server.client.post('/addresses', added))).toEqual(['identity - is invalid']);
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
  expect((await submissions.lastDelivery()).payload).toEqual({
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
      .where('id', '=', berlinRequirement.id)
      .execute();
  await onetime(form.id);
  const account = await server.addAccount({ balance: '10' });
  const { address, identity } = await makePaperwork(server, account);
  const [did = ''] = await buyNumbers(server, account.client, 'Berlin', 1);
  const name = 'Following Supporting Document(s) required';
  expect(detailsOf(await submit(address, [did], {}, {}, account.client))[0]).toMatch(name);
  const files = { onetime_files: [link('encrypted_files', await uploadedFile(server, account.key))] };
  const receiver = await startReceiver();
  const callback = { callback_url: receiver.url, callback_method: 'post' };
  const { id } = (await submit(address, [did], callback, files, account.client)).resource;
  await onetime(null);
  await decide(id, { action: 'reject', reasons: ['no'], comment: 'Jane Doe is younger' }, account.key);
  await runDueJobs(server.env);
  await receiver.close();
  expect(receiver.received[0]?.body).toContain('reject_comment=Jane');
  expectDescribed(receiver.received);
  expect(await tablesThatSay(['Jane'], account.accountId)).toContain('deliveries');
  expect((await account.client.delete(`/identities/${identity}`)).status).toBe(204);
  // Uploads stay until they expire.
  server.clock.advance(86_400);
  await runDueJobs(server.env);
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

/**
 * The tables in which a row of the account has one of the texts, but for the sandbox's own record of what tests have
 * sent.
 */
async function tablesThatSay(texts: readonly string[], accountId: string): Promise<string[]> {
  const { pool } = server.env;
  const { rows } = await pool.query(
    `select table_name from information_schema.columns where table_schema = 'public' and column_name = 'account_id'
       and table_name <> 'sandbox_requests'`,
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

test('an account that is set to it has its submissions decided at once', async () => {
  const account = await server.addAccount({ balance: '10' });
  const { address } = await makePaperwork(server, account);
  const [did = ''] = await buyNumbers(server, account.client, 'Berlin', 1);
  await setAutoDecision(server.env, account.accountId, 'approve');
  const { id } = (await submit(address, [did], {}, {}, account.client)).resource;
  await runDueJobs(server.env);
  expect((await account.client.get(`/address_verifications/${id}`)).resource.attributes.status).toBe('approved');
});

test('a submission is pending in the response, however soon it is decided', async () => {
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

test('a test may have a reviewer who rejects at once', async () => {
  const { address } = await makePaperwork(server);
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  await addFault(server.env, server.accountId, 'review.rejected');
  const { resource } = await submit(address, [did]);
  expect(resource.attributes.status).toBe('pending');
  await runDueJobs(server.env);
  const decided = await server.client.get(`/address_verifications/${resource.id}`);
  expect(decided.resource.attributes.status).toBe('rejected');
});
