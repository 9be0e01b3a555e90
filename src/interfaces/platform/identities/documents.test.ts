/** Proof types, templates, proofs and documents. */
import { beforeAll, expect, test } from 'vitest';
import { checkedFetch } from '../../../../test/support/checked-fetch.ts';
import { uploadedFile } from '../../../../test/support/encrypted-upload.ts';
import { runDueJobs } from '../../../../test/support/environment.ts';
import {
  document,
  link,
  made,
  makeAddress,
  makeIdentity,
  makeProof,
  proofTypeId,
} from '../../../../test/support/paperwork.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { loadSmallCatalogue } from '../../../../test/support/small-catalogue.ts';
import { useMade, useOpened } from '../../../../test/support/use.ts';
import { loadRequirements } from '../../../business/catalogue/requirements/load-requirements.ts';

const server = useOpened(() => startTestServer());
const other = useMade(() => server.addAccount());
beforeAll(async () => {
  await loadSmallCatalogue(server.env);
  await loadRequirements(server.env.db);
});

const stored = async () => (await server.env.pool.query('select id from stored_files')).rows.length;
const template = async (name: string) => {
  const [found] = (await server.client.get(`/supporting_document_templates?filter[name]=${encodeURIComponent(name)}`))
    .resources;
  if (!found) throw new Error(`no template ${name}`);
  return link('supporting_document_templates', found.id);
};

test('the proof types are one unpaged list', async () => {
  const response = await server.client.get('/proof_types?filter[entity_type]=Address');
  expect(response.resources.map(({ attributes }) => attributes.name)).toEqual([
    'Utility Bill',
    'Rental Receipt',
    'Copy of Phone Bill',
    'Other',
  ]);
  expect(response.body.links).toBeUndefined();
});

test('behind each template’s url is a blank form, a PDF that everyone may fetch', async () => {
  const { resources } = await server.client.get('/supporting_document_templates?sort=-permanent,name');
  expect(resources.length).toBeGreaterThan(3);
  for (const { attributes } of resources) {
    expect(attributes.url).toMatch(new RegExp(`^${server.url}/storage/public/[a-z0-9]{28}$`));
    const response = await checkedFetch(String(attributes.url));
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(bytes.subarray(0, 8).toString()).toBe('%PDF-1.4');
    expect(bytes.toString('latin1')).toContain(`(${attributes.name}) Tj`);
    const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(bytes.toString('latin1'))?.[1]);
    expect(bytes.subarray(start, start + 4).toString()).toBe('xref');
  }
  expect((await checkedFetch(`${server.url}/storage/public/${'a'.repeat(28)}`)).status).toBe(404);
});

test('a proof takes files over: the upload expires, the proof keeps its content until it is deleted itself', async () => {
  const identity = await makeIdentity(server.client);
  const id = await makeProof(server, server, link('identities', identity), ['Personal', 'Passport']);
  const shown = await server.client.get(`/proofs/${id}?include=entity,proof_type`);
  expect(shown.resource.relationships.entity?.data).toEqual(link('identities', identity));
  expect(Object.keys(shown.resource.relationships)).toEqual(['proof_type', 'entity']);
  expect(shown.resource.attributes).toMatchObject({ expires_at: null, external_reference_id: null });
  server.clock.advance(86_401);
  await runDueJobs(server.env);
  expect((await server.client.get('/encrypted_files')).resources).toEqual([]);
  expect(await stored()).toBe(1);
  expect((await server.client.delete(`/proofs/${id}`)).status).toBe(204);
  expect(await stored()).toBe(0);
});

test('a bill proves an address for a year', async () => {
  const address = await makeAddress(server.client, await makeIdentity(server.client));
  const id = await makeProof(server, server, link('addresses', address), ['Address', 'Utility Bill']);
  const { attributes, relationships } = (await server.client.get(`/proofs/${id}?include=entity`)).resource;
  const year = 365 * 86_400_000;
  expect(Date.parse(String(attributes.expires_at)) - Date.parse(String(attributes.created_at))).toBe(year);
  expect(relationships.entity?.data).toEqual(link('addresses', address));
  const change = { data: { type: 'proofs', id, attributes: { external_reference_id: 'bill-1' } } };
  expect((await server.client.patch(`/proofs/${id}`, change)).resource.attributes.external_reference_id).toBe('bill-1');
});

test('what a proof is made of has to fit, and to be the caller’s own', async () => {
  const identity = await makeIdentity(server.client);
  const foreign = await makeIdentity(other.client);
  const type = link('proof_types', await proofTypeId(server, 'Personal', 'Passport'));
  const ofAddress = link('proof_types', await proofTypeId(server, 'Address', 'Other'));
  const ofCompany = link('proof_types', await proofTypeId(server, 'Business', 'Passport'));
  const file = link('encrypted_files', await uploadedFile(server, server.key));
  const foreignFile = link('encrypted_files', await uploadedFile(server, other.key));
  const many = await Promise.all(
    Array.from({ length: 6 }, async () => link('encrypted_files', await uploadedFile(server, server.key))),
  );
  const entity = link('identities', identity);
  for (const [links, expected] of [
    [{ proof_type: ofAddress, entity, files: [file] }, 'entity - is invalid'],
    [{ proof_type: ofCompany, entity, files: [file] }, 'entity - is invalid'],
    [{ proof_type: type, entity: link('identities', foreign), files: [file] }, 'entity - is invalid'],
    [{ proof_type: type, entity, files: [foreignFile] }, 'files - is invalid'],
    [{ proof_type: type, entity, files: [file, foreignFile] }, 'files - is invalid'],
    [{ proof_type: type, entity, files: [file, file] }, 'files - is invalid'],
    [{ proof_type: type, entity, files: many }, 'files - is invalid'],
    [{ proof_type: type, entity, files: [] }, "files - can't be blank"],
    [{ proof_type: type, entity }, "files - can't be blank"],
    [{ entity, files: [file] }, "proof_type - can't be blank"],
  ] as const) {
    const response = await server.client.post(
      '/proofs',
      document('proofs', {}, { ...links, files: [...(('files' in links && links.files) || [])] }),
    );
    expect([response.status, response.errors.map(({ detail }) => detail)]).toEqual([422, [expected]]);
  }
  expect((await server.env.pool.query('select id from proofs where identity_id = $1', [identity])).rows).toEqual([]);
  server.clock.advance(86_400);
  const late = await server.client.post('/proofs', document('proofs', {}, { proof_type: type, entity, files: [file] }));
  expect(late.errors[0]?.detail).toBe('files - is invalid');
});

test('a new permanent document takes the place of the one before it', async () => {
  const identity = link('identities', await makeIdentity(server.client));
  const form = await template('Declaration of Residence');
  const make = async () =>
    made(
      server.client,
      'permanent_supporting_documents',
      {},
      {
        template: form,
        identity,
        files: [link('encrypted_files', await uploadedFile(server, server.key))],
      },
    );
  const first = await make();
  const second = await make();
  expect((await server.client.get(`/permanent_supporting_documents/${first}`)).status).toBe(404);
  const shown = await server.client.get(`/identities/${identity.id}?include=permanent_documents.template`);
  expect(shown.resource.relationships.permanent_documents?.data).toEqual([
    link('permanent_supporting_documents', second),
  ]);
  const kept = await server.env.pool.query('select count(*)::int as n from kept_files where document_id is not null');
  expect(kept.rows[0].n).toBe(1);
  expect((await server.client.delete(`/permanent_supporting_documents/${second}`)).status).toBe(204);
  const oneTime = await server.client.post(
    '/permanent_supporting_documents',
    document(
      'permanent_supporting_documents',
      {},
      {
        template: await template('End User Statement'),
        identity,
        files: [link('encrypted_files', await uploadedFile(server, server.key))],
      },
    ),
  );
  expect(oneTime.errors[0]?.detail).toBe('template - is invalid');
});

test('deleting an identity erases everything of the person but uploads, which expire: rows, files and bytes', async () => {
  const { pool } = server.env;
  const account = await server.addAccount();
  const identity = await makeIdentity(account.client, { first_name: 'Erasmus', id_number: 'secret-1' });
  const address = await makeAddress(account.client, identity);
  await makeProof(server, account, link('identities', identity), ['Personal', 'Passport']);
  await makeProof(server, account, link('addresses', address), ['Address', 'Utility Bill']);
  await made(
    account.client,
    'permanent_supporting_documents',
    {},
    {
      template: await template('Declaration of Residence'),
      identity: link('identities', identity),
      files: [link('encrypted_files', await uploadedFile(server, account.key))],
    },
  );
  // Some uploads have run out by now, one has not.
  server.clock.advance(86_400);
  await runDueJobs(server.env);
  await makeProof(server, account, link('identities', identity), ['Personal', 'National ID']);
  expect((await account.client.delete(`/identities/${identity}`)).status).toBe(204);
  const uploads = (await account.client.get('/encrypted_files')).resources;
  expect(uploads).toHaveLength(1);
  expect((await account.client.get(`/encrypted_files/${uploads[0]?.id}`)).status).toBe(200);
  server.clock.advance(86_400);
  await runDueJobs(server.env);
  expect((await account.client.get('/encrypted_files')).resources).toEqual([]);
  for (const table of [
    'identities',
    'addresses',
    'proofs',
    'permanent_supporting_documents',
    'stored_files',
    'encrypted_files',
  ]) {
    const { rows } = await pool.query(`select id from ${table} where account_id = $1`, [account.accountId]);
    expect([table, rows]).toEqual([table, []]);
  }
  const { rows } = await pool.query(
    'select count(*)::int as orphans from stored_file_chunks c where not exists (select from stored_files s where s.id = c.stored_file_id)',
  );
  expect(rows[0].orphans).toBe(0);
});
