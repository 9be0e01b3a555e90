/** Submissions for addresses, and their dry run. */
import { beforeAll, describe, expect, test } from 'vitest';
import { AddressSubmissions, berlinRequirement } from '../../../../test/support/address-submissions.ts';
import { uploadedFile } from '../../../../test/support/encrypted-upload.ts';
import { advanceClock, runDueJobs } from '../../../../test/support/environment.ts';
import {
  document,
  germany,
  link,
  made,
  makeAddress,
  makeIdentity,
  makePaperwork,
} from '../../../../test/support/paperwork.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../../test/support/registered-number.ts';
import { detailsOf } from '../../../../test/support/requests.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { idOf } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';

const server = useOpened(() => startTestServer({ account: { balance: '1000' } }));
beforeAll(() => loadPaperworkCatalogue(server));
const submissions = new AddressSubmissions(server);
const submit: AddressSubmissions['submit'] = (...words) => submissions.submit(...words);
const decide: AddressSubmissions['decide'] = (...words) => submissions.decide(...words);

describe('the dry run', () => {
  const validate = (identity: string | null, address: string | null) =>
    server.client.post(
      '/address_requirement_validations',
      document(
        'address_requirement_validations',
        {},
        {
          address_requirement: berlinRequirement,
          identity: identity ? link('identities', identity) : null,
          address: address ? link('addresses', address) : null,
        },
      ),
    );

  test('is satisfied by complete paperwork, and carries the requirement’s id', async () => {
    const { identity, address } = await makePaperwork(server);
    const response = await validate(identity, address);
    expect([response.status, response.body]).toEqual([
      201,
      {
        data: { id: berlinRequirement.id, type: 'address_requirement_validations' },
        meta: { api_version: '2026-04-16' },
      },
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
    const response = await validate(identity, address);
    expect([response.status, detailsOf(response)]).toEqual([
      422,
      [
        'Birth Date is required for Personal Identity',
        '1 Identity Proof(s) (National ID, Passport) required',
        'Address in Germany required',
        '1 Address Proof(s) (Utility Bill, Rental Receipt, Copy of Phone Bill) required',
      ],
    ]);
    expect(response.errors[0]).toMatchObject({ code: '100', source: { pointer: '/data' } });
  });

  test('wants an identity or an address, and both of one person', async () => {
    expect(detailsOf(await validate(null, null))).toEqual(["identity - can't be blank"]);
    const address = await makeAddress(server.client, await makeIdentity(server.client));
    expect(detailsOf(await validate(await makeIdentity(server.client), address))).toEqual(['address - is invalid']);
  });
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

test('a submission is judged by the requirement of its numbers, and leaves nothing when it fails', async () => {
  const { address, identity } = await makePaperwork(server);
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  const [free = ''] = await buyNumbers(server, server.client, 'London', 1);
  const file = link('encrypted_files', await uploadedFile(server, server.key));
  const count = async () =>
    (await server.env.pool.query('select count(*)::int as n from address_verifications')).rows[0].n;
  const before = await count();
  const elsewhere = await makeAddress(server.client, identity, { city_name: 'Town 001' });

  expect(detailsOf(await submit(address, [did], { service_description: 'hotline' }))).toEqual([
    'service description is not needed',
  ]);
  expect(detailsOf(await submit(address, [did], {}, { onetime_files: [file] }))).toEqual([
    'one-time document is not needed',
  ]);
  expect(detailsOf(await submit(elsewhere, [did]))).toEqual([
    'Address in Berlin required',
    '1 Address Proof(s) (Utility Bill, Rental Receipt, Copy of Phone Bill) required',
  ]);
  const unneeded = await submit(address, [free]);
  expect(unneeded.errors[0]).toMatchObject({
    detail: `dids/${free} - does not require registration`,
    source: { pointer: `/data/relationships/dids/${free}` },
  });
  expect(detailsOf(await submit(address, [did, did]))).toEqual(['dids - is invalid']);
  expect(detailsOf(await submit(address, []))).toEqual(["dids - can't be blank"]);
  expect(detailsOf(await submit(address, [did], { callback_url: 'https://a.example' }))).toEqual([
    "callback_method - can't be blank",
  ]);
  expect(detailsOf(await submit(address, [did], { callback_url: 'ftp://a', callback_method: 'post' }))).toEqual([
    'callback_url - is invalid',
  ]);
  expect(await count()).toBe(before);
});

test('another account can neither use, see nor decide it', async () => {
  const other = await server.addAccount({ balance: '10' });
  const { address } = await makePaperwork(server);
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  const theirs = await makePaperwork(server, other);
  const [foreign = ''] = await buyNumbers(server, other.client, 'Berlin', 1);
  expect(detailsOf(await submit(theirs.address, [did]))).toEqual(['address - is invalid']);
  expect(detailsOf(await submit(address, [foreign]))).toEqual(['dids - is invalid']);
  const { id } = (await submit(address, [did])).resource;
  expect((await other.client.get(`/address_verifications/${id}`)).status).toBe(404);
  expect((await decide(id, { action: 'approve' }, other.key)).status).toBe(404);
  expect((await decide('nonsense', { action: 'approve' })).status).toBe(404);
  expect((await decide(id, { action: 'maybe' })).status).toBe(422);
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
  expect(group.resource.relationships.address_requirement?.data).toEqual(berlinRequirement);
  expect(group.included.filter(({ type }) => type === 'proof_types')).toHaveLength(3);
  const listed = await server.client.get(
    `/address_requirements?filter[country.id]=${germany().id}&include=country,business_onetime_document`,
  );
  expect(listed.resources.map(({ attributes }) => attributes.address_area_level)).toContain('city');
});
