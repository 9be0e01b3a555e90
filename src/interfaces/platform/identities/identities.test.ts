/** Identities: what is stored, and which values are refused. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  company,
  document,
  germany,
  link,
  made,
  makeAddress,
  makeIdentity,
  person,
} from '../../../../test/support/paperwork.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { idOf, loadSmallCatalogue } from '../../../../test/support/small-catalogue.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';

const server = useOpened(() => startTestServer());
const other = useMade(() => server.addAccount());
beforeAll(() => loadSmallCatalogue(server.env));

const post = (attributes: Record<string, unknown>, links = {}) =>
  server.client.post('/identities?include=country', document('identities', attributes, links));

test('a person is stored as sent, and shown with every attribute', async () => {
  const sent = {
    ...person,
    birth_date: '1990-02-03',
    contact_email: 'jane@example.net',
    external_reference_id: 'u-42',
  };
  const response = await post(sent, { country: germany(), birth_country: null });
  expect(response.status).toBe(201);
  expect(response.resource.attributes).toEqual({
    ...sent,
    id_number: null,
    company_name: null,
    company_reg_number: null,
    vat_id: null,
    description: null,
    personal_tax_id: null,
    created_at: '2026-06-15T12:00:00.000Z',
    verified: false,
  });
  expect(response.included.map(({ id }) => id)).toEqual([idOf('countries', 'DE')]);
  expect(Object.keys(response.resource.relationships).sort()).toEqual([
    'addresses',
    'birth_country',
    'country',
    'permanent_documents',
    'proofs',
  ]);
});

test('a birth date that is none ends as null', async () => {
  expect((await post({ ...person, birth_date: 'in spring' })).resource.attributes.birth_date).toBeNull();
  expect((await post({ ...person, birth_date: '2001-02-31' })).resource.attributes.birth_date).toBeNull();
});

test.each([
  [{ ...person, identity_type: 'robot' }, ['identity_type - is invalid']],
  [{ ...person, first_name: '', last_name: null }, ["first_name - can't be blank", "last_name - can't be blank"]],
  [{ ...person, phone_number: '+49 30' }, ['phone_number - is invalid']],
  [{ ...person, contact_email: 'nobody' }, ['contact_email - is invalid']],
  [
    { ...person, company_name: 'X', company_reg_number: '1', vat_id: 'DE1' },
    ['company_name - must be blank', 'company_reg_number - must be blank', 'vat_id - must be blank'],
  ],
  [{ ...company, company_name: '' }, ["company_name - can't be blank"]],
  [{ ...company, vat_id: 'DE811569869' }, ["country - can't be blank"]],
  [
    { ...person, external_reference_id: 'x'.repeat(101) },
    ['external_reference_id - is too long (maximum is 100 characters)'],
  ],
])('%o is refused', async (attributes, expected) => {
  const response = await post(attributes);
  expect([response.status, response.errors.map(({ detail }) => detail)]).toEqual([422, expected]);
});

test('a VAT number has to be one of the identity’s country', async () => {
  const wrong = await post({ ...company, vat_id: 'FR12345678901' }, { country: germany() });
  expect([wrong.status, wrong.errors[0]?.detail]).toEqual([422, 'vat_id - is invalid']);
  const britain = { country: link('countries', idOf('countries', 'GB')) };
  expect((await post({ ...company, vat_id: 'XX' }, britain)).errors).toMatchObject([
    { status: '422', detail: 'vat_id - is invalid', source: { pointer: '/data/attributes/vat_id' } },
  ]);
  expect((await post({ ...company, vat_id: 'GB980780684' }, britain)).status).toBe(201);
  const right = await post({ ...company, vat_id: 'DE 811.569.869' }, { country: germany() });
  expect(right.resource.attributes.vat_id).toBe('DE 811.569.869');
});

test('a VAT number that is stored already keeps nobody from changing the rest', async () => {
  const id = await made(server.client, 'identities', { ...company, vat_id: 'DE811569869' }, { country: germany() });
  await server.env.db.updateTable('identities').set({ vat_id: 'DE1' }).where('id', '=', id).execute();
  const patch = (attributes: object, relationships: object = {}) =>
    server.client.patch(`/identities/${id}`, { data: { type: 'identities', id, attributes, relationships } });
  expect((await patch({ last_name: 'Roe' })).status).toBe(200);
  const moved = { country: { data: link('countries', idOf('countries', 'GB')) } };
  expect((await patch({}, moved)).errors[0]?.detail).toBe('vat_id - is invalid');
  expect((await patch({ vat_id: 'DE2' })).errors[0]?.detail).toBe('vat_id - is invalid');
  expect((await patch({ vat_id: 'DE811569869' })).status).toBe(200);
});

test('an update is judged with what is stored, and cannot change the kind', async () => {
  const id = await made(server.client, 'identities', company);
  const patch = (attributes: object) =>
    server.client.patch(`/identities/${id}`, { data: { type: 'identities', id, attributes } });
  expect((await patch({ company_name: null })).errors[0]?.detail).toBe("company_name - can't be blank");
  expect((await patch({ vat_id: 'DE1234567' })).errors[0]?.detail).toBe("country - can't be blank");
  expect((await patch({ identity_type: 'personal' })).errors[0]).toMatchObject({ code: '105', status: '400' });
  expect((await patch({ last_name: 'Roe' })).resource.attributes).toMatchObject({
    last_name: 'Roe',
    first_name: 'Jane',
  });
});

test('filters find by exact text, by part, and by country', async () => {
  const id = await made(
    server.client,
    'identities',
    { ...person, first_name: 'Zaphod', id_number: 'HG-2-G' },
    { country: germany() },
  );
  for (const query of [
    'filter[first_name]=Zaphod',
    'filter[first_name_contains]=phod',
    `filter[country.id]=${idOf('countries', 'DE')}&filter[id_number_contains]=-2-`,
    `filter[id]=${id}&sort=-verified,last_name&include=proofs.proof_type,addresses.country,permanent_documents.template`,
  ]) {
    const found = await server.client.get(`/identities?${query}`);
    expect([query, found.resources.map((resource) => resource.id)]).toEqual([query, [id]]);
  }
  expect((await server.client.get('/identities?filter[first_name]=zaphod')).resources).toEqual([]);
  for (const day of ['1990-02-30', 'x']) {
    expect((await server.client.get(`/identities?filter[birth_date]=${day}`)).errors).toMatchObject([
      { status: '400', code: '107', detail: `${day} is not a valid value for birth_date.` },
    ]);
  }
  expect((await server.client.get('/identities?filter[contact_email]=x')).errors[0]).toMatchObject({ code: '102' });
});

describe('tenancy and deletion', () => {
  test('another account neither sees, changes, uses nor deletes it', async () => {
    const id = await makeIdentity(server.client);
    expect((await other.client.get(`/identities/${id}`)).status).toBe(404);
    expect((await other.client.delete(`/identities/${id}`)).status).toBe(404);
    const change = { data: { type: 'identities', id, attributes: { last_name: 'X' } } };
    expect((await other.client.patch(`/identities/${id}`, change)).status).toBe(404);
    const links = { identity: link('identities', id), country: germany() };
    const address = { address: 'a', city_name: 'b', postal_code: 'c' };
    const used = await other.client.post('/addresses', document('addresses', address, links));
    expect([used.status, used.errors[0]?.detail]).toEqual([422, 'identity - is invalid']);
  });

  test('deleting an identity takes its addresses with it', async () => {
    const id = await makeIdentity(server.client);
    const address = await makeAddress(server.client, id);
    expect((await server.client.delete(`/identities/${id}`)).status).toBe(204);
    expect((await server.client.get(`/identities/${id}`)).status).toBe(404);
    expect((await server.client.get(`/addresses/${address}`)).status).toBe(404);
  });
});
