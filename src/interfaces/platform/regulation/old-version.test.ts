/** The paperwork as clients of 2022-05-10 know it: other names, other words, reasons as one text. */

import { beforeAll, describe, expect, test } from 'vitest';
import { encryptFile, pdf, testKeys, uploadForm } from '../../../../test/support/encrypted-upload.ts';
import { document, link, makePaperwork } from '../../../../test/support/paperwork.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../../test/support/registered-number.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { idOf } from '../../../../test/support/small-catalogue.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { nameBasedId } from '../../../business/catalogue/ids.ts';
import type { ErrorObject } from '../../../engines/jsonapi/errors.ts';
import { decideAddressVerification } from './decision.ts';

const server = useOpened(() => startTestServer({ account: { balance: '100', apiVersion: '2022-05-10' } }));
beforeAll(() => loadPaperworkCatalogue(server));

const headers = () => ({ 'api-key': server.key, accept: 'application/vnd.api+json' });

/** Without the check against the newest document. */
async function ask(method: string, path: string, body?: object) {
  const type = body ? { 'content-type': 'application/vnd.api+json' } : {};
  const response = await fetch(`${server.url}/v3${path}`, {
    method,
    headers: { ...headers(), ...type },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

test('requirements have their old type, path, words and links', async () => {
  const id = nameBasedId('address_requirements', 'DE', 'Local');
  const { body } = await ask('GET', `/requirements/${id}?include=country`);
  expect(body.meta.api_version).toBe('2022-05-10');
  expect(body.data).toMatchObject({
    id,
    type: 'requirements',
    attributes: { identity_type: 'Any', address_area_level: 'City', personal_area_level: 'WorldWide' },
  });
  expect(body.data.relationships.country.links.self).toBe(`${server.url}/v3/requirements/${id}/relationships/country`);
  const linkage = await ask('GET', `/requirements/${id}/relationships/country`);
  expect(linkage.body.links.related).toBe(`${server.url}/v3/requirements/${id}/country`);
  expect((await ask('GET', `/requirements/${id}/country`)).body.data.id).toBe(idOf('countries', 'DE'));
  const group = await ask('GET', `/did_groups/${idOf('did_groups', 'Berlin')}?include=requirement`);
  expect(group.body.data.relationships.requirement.data.id).toBe(id);
  const narrow = await ask('GET', `/did_groups?include=requirement&fields[requirements]=identity_type&page[size]=1`);
  expect(narrow.status).toBe(200);
});

test('errors point at what the client has sent', async () => {
  const { body } = await ask('POST', '/requirement_validations', document('requirement_validations', {}));
  expect(body.errors.map((error: ErrorObject) => [error.detail, error.source?.pointer])).toContainEqual([
    "requirement - can't be blank",
    '/data/relationships/requirement',
  ]);
  const sorted = await ask('GET', '/requirements?sort=x');
  expect(sorted.body.errors[0].detail).toBe('x is not a valid sort criteria for requirements');
});

test('identities have a reference of the customer’s', async () => {
  const person = { identity_type: 'Personal', first_name: 'A', last_name: 'B', phone_number: '1' };
  const made = await ask('POST', '/identities', document('identities', { ...person, external_reference_id: 'mine' }));
  expect([made.status, made.body.data.attributes.external_reference_id]).toEqual([201, 'mine']);
  const found = await ask('GET', '/identities?filter[external_reference_id]=mine&sort=external_reference_id');
  expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([made.body.data.id]);
  await ask('DELETE', `/identities/${made.body.data.id}`);
});

test('identities, validations and submissions speak the old words', async () => {
  const person = { identity_type: 'Personal', first_name: 'A', last_name: 'B', phone_number: '1' };
  const made = await ask('POST', '/identities', document('identities', person));
  expect([made.status, made.body.data.attributes.identity_type]).toEqual([201, 'Personal']);
  const found = await ask('GET', '/identities?filter[identity_type]=Personal');
  expect(found.body.data).toHaveLength(1);

  const validation = await ask(
    'POST',
    '/requirement_validations',
    document(
      'requirement_validations',
      {},
      {
        requirement: link('requirements', nameBasedId('address_requirements', 'DE', 'Local')),
        identity: link('identities', made.body.data.id),
      },
    ),
  );
  expect([validation.status, validation.body.errors[0].detail]).toEqual([
    422,
    'Birth Date is required for Personal Identity',
  ]);
});

describe('a batch of uploads', () => {
  const batch = async (fingerprint: string, files: readonly { content: string; description?: string }[]) => {
    const form = new FormData();
    form.append('encrypted_files[encryption_fingerprint]', fingerprint);
    for (const { content, description } of files) {
      if (description !== undefined) form.append('encrypted_files[items][][description]', description);
      form.append('encrypted_files[items][][file]', new Blob([content], { type: 'application/octet-stream' }), 'x.enc');
    }
    const response = await fetch(`${server.url}/v3/encrypted_files`, {
      method: 'POST',
      headers: { 'api-key': server.key },
      body: form,
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
  const stored = async () =>
    (
      await server.env.pool.query(
        'select (select count(*) from stored_files) + (select count(*) from encrypted_files) n',
      )
    ).rows[0].n;

  test('is answered with the ids of its files, in their order', async () => {
    const { fingerprint } = await testKeys(server.env);
    const files = [{ content: 'one', description: 'front' }, { content: 'two', description: 'back' }, { content: '3' }];
    const { status, body } = await batch(fingerprint, files);
    expect([status, Object.keys(body), body.ids.length]).toEqual([201, ['ids'], 3]);
    const read = await Promise.all(body.ids.map((id: string) => ask('GET', `/encrypted_files/${id}`)));
    expect(read.map((each) => each.body.data.attributes.description)).toEqual(['front', 'back', null]);
    const { rows } = await server.env.pool.query(
      `select convert_from(c.bytes, 'utf8') as bytes from encrypted_files e
         join stored_file_chunks c on c.stored_file_id = e.stored_file_id
       where e.id = any($1) order by array_position($1::uuid[], e.id)`,
      [body.ids],
    );
    expect(rows.map(({ bytes }) => bytes)).toEqual(['one', 'two', '3']);
  });

  test('is taken whole or not at all', async () => {
    const { fingerprint } = await testKeys(server.env);
    const before = await stored();
    const empty = await batch(fingerprint, [{ content: 'one' }, { content: '' }]);
    expect([empty.status, empty.body.errors[0].detail]).toEqual([422, "file - can't be blank"]);
    const many = await batch(
      fingerprint,
      Array.from({ length: 11 }, () => ({ content: 'x' })),
    );
    expect([many.status, many.body.errors[0].detail]).toEqual([400, 'invalid params']);
    const outdated = await batch('a:::b', [{ content: 'x' }]);
    expect([outdated.status, outdated.body.errors[0].detail]).toEqual([422, 'outdated fingerprint']);
    expect(await stored()).toBe(before);
  });
});

test('an upload shows expire_at, a rejection its reasons as one text', async () => {
  const keys = await testKeys(server.env);
  const form = uploadForm(encryptFile(pdf, keys), keys.fingerprint);
  const uploaded = await fetch(`${server.url}/v3/encrypted_files`, {
    method: 'POST',
    headers: { 'api-key': server.key },
    body: form,
  });
  const { data } = (await uploaded.json()) as { data: { attributes: object } };
  expect(Object.keys(data.attributes)).toEqual(['description', 'expire_at']);

  const newest = server.client.with({ headers: { 'X-Service-Api-Version': '2026-04-16' } });
  const { address } = await makePaperwork(server, { client: newest, key: server.key });
  const [did = ''] = await buyNumbers(server, newest, 'Berlin', 1);
  const sent = document(
    'address_verifications',
    { callback_url: 'https://h.example/x', callback_method: 'POST' },
    {
      address: link('addresses', address),
      dids: [link('dids', did)],
    },
  );
  const submitted = await ask('POST', '/address_verifications', sent);
  expect([submitted.status, submitted.body.data.attributes]).toMatchObject([
    201,
    { status: 'Pending', callback_method: 'POST' },
  ]);
  const { id } = submitted.body.data;
  await decideAddressVerification(server.env, {
    id,
    by: { kind: 'named', id: 'rita' },
    decision: { action: 'reject', reasons: ['One', 'Two'], comment: 'three' },
  });
  const { attributes } = (await ask('GET', `/address_verifications/${id}`)).body.data;
  expect(attributes).toMatchObject({ status: 'Rejected', reject_reasons: 'One, Two' });
  expect(attributes).not.toHaveProperty('reject_comment');
  expect((await ask('GET', '/address_verifications?filter[status]=Rejected')).body.data).toHaveLength(1);
});
