/** Things that happen at the same moment: one of them wins, and nothing is left in between. */

import { beforeAll, expect, test } from 'vitest';
import { uploadedFile } from '../../../../test/support/encrypted-upload.ts';
import { document, link, made, makeIdentity, makePaperwork, proofTypeId } from '../../../../test/support/paperwork.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../../test/support/registered-number.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';
import { decideAddressVerification } from './decision.ts';

const server = useOpened(() => startTestServer({ account: { balance: '1000' } }));
let dids: string[];
beforeAll(async () => {
  await loadPaperworkCatalogue(server);
  dids = await buyNumbers(server, server.client, 'Berlin', 8);
});

const submission = (address: string, did: string, attributes: object = {}) =>
  document(
    'address_verifications',
    { ...attributes },
    { address: link('addresses', address), dids: [link('dids', did)] },
  );

test('of several reviewers one decides, and the customer is told once', async () => {
  const { address } = await makePaperwork(server);
  const callback = { callback_url: 'https://h.example/x', callback_method: 'post' };
  const { id } = (await server.client.post('/address_verifications', submission(address, dids[0] ?? '', callback)))
    .resource;
  const outcomes = await Promise.all(
    ['a', 'b', 'c', 'd'].map((reviewer, index) =>
      decideAddressVerification(server.env, {
        id,
        by: { kind: 'named', id: reviewer },
        decision: index % 2 === 0 ? { action: 'approve' } : { action: 'reject', reasons: ['no'], comment: null },
      }),
    ),
  );
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  const { rows } = await server.env.pool.query('select count(*)::int as n from deliveries where resource_id = $1', [
    id,
  ]);
  expect(rows[0].n).toBe(1);
});

test('an identity is deleted or handed in, never both', async () => {
  for (const did of dids.slice(1)) {
    const { identity, address } = await makePaperwork(server);
    const [submitted, deleted] = await Promise.all([
      server.client.post('/address_verifications', submission(address, did)),
      server.client.delete(`/identities/${identity}`),
    ]);
    expect([201, 409]).toContain(submitted.status === 201 ? deleted.status : 409);
    expect(submitted.status === 201).toBe(deleted.status === 409);
  }
  const { rows } = await server.env.pool.query(
    `select id from address_verifications where status = 'pending' and address_id is null`,
  );
  expect(rows).toEqual([]);
});

test('a file expires, or a proof takes it over with all its bytes', async () => {
  const type = link('proof_types', await proofTypeId(server, 'Personal', 'Passport'));
  const entity = link('identities', await makeIdentity(server.client));
  for (let round = 0; round < 6; round++) {
    const file = await uploadedFile(server, server.key);
    const [proof, gone] = await Promise.all([
      server.client.post(
        '/proofs',
        document('proofs', {}, { proof_type: type, entity, files: [link('encrypted_files', file)] }),
      ),
      server.client.delete(`/encrypted_files/${file}`),
    ]);
    expect([201, 422]).toContain(proof.status);
    expect(gone.status).toBe(204);
  }
  const { rows } = await server.env.pool.query(
    `select count(*)::int as bad from kept_files k
     where not exists (select from stored_file_chunks c where c.stored_file_id = k.stored_file_id)`,
  );
  expect(rows[0].bad).toBe(0);
  const left = await server.env.pool.query(
    `select count(*)::int as orphans from stored_files s where not exists (select from kept_files k where k.stored_file_id = s.id)
     and not exists (select from encrypted_files e where e.stored_file_id = s.id)`,
  );
  expect(left.rows[0].orphans).toBe(0);
});

test('two documents of one template at the same moment leave one', async () => {
  const identity = link('identities', await makeIdentity(server.client));
  const [template] = (await server.client.get('/supporting_document_templates?filter[permanent]=true')).resources;
  const make = async () =>
    made(
      server.client,
      'permanent_supporting_documents',
      {},
      {
        template: link('supporting_document_templates', template?.id ?? ''),
        identity,
        files: [link('encrypted_files', await uploadedFile(server, server.key))],
      },
    );
  await Promise.all([make(), make(), make()]);
  const shown = await server.client.get(`/identities/${identity.id}?include=permanent_documents`);
  expect(shown.resource.relationships.permanent_documents?.data).toHaveLength(1);
});
