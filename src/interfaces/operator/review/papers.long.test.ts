/** What a reviewer compares: papers beside requirements, and decrypted files that nothing in a browser can run. */
import { expect, test } from 'vitest';
import { pdf } from '../../../../test/support/encrypted-upload.ts';
import { addOperator } from '../../../../test/support/operator.ts';
import { link, made, makePaperwork } from '../../../../test/support/paperwork.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../../test/support/registered-number.ts';
import { startTestServer } from '../../../../test/support/server.ts';
import { useOpened } from '../../../../test/support/use.ts';

const server = useOpened(async () => {
  const opened = await startTestServer({ account: { name: 'Acme', balance: '100' } });
  await loadPaperworkCatalogue(opened);
  return opened;
});

async function submission(): Promise<{ id: string; did: string }> {
  const { address } = await makePaperwork(server);
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  const links = { address: link('addresses', address), dids: [link('dids', did)] };
  return { id: await made(server.client, 'address_verifications', {}, links), did };
}

interface Papers {
  required: { of: string; text: string }[];
  identity: Record<string, string>;
  address: Record<string, string>;
  numbers: string[];
  files: { id: string; of: string }[];
}

test('a reviewer sees the papers beside what is asked for, opens the files, and decides', async () => {
  const reviewer = await addOperator(server, 'reviewer');
  const { id, did } = await submission();
  const answer = await reviewer.client.get(`/submission_papers?submission=${id}`);
  const papers: Papers = JSON.parse(answer.text);
  expect(papers.required).toEqual(
    expect.arrayContaining([
      { of: 'Identity', text: expect.stringMatching(/^1 proof: .*Passport/) },
      { of: 'Address', text: expect.stringMatching(/^1 proof: .*Utility Bill/) },
      { of: 'Address', text: 'An address in the city of the numbers, in Germany' },
    ]),
  );
  expect(papers.identity).toMatchObject({ first_name: 'Jane', birth_date: '1990-02-03' });
  expect(papers.address).toMatchObject({ city_name: 'Berlin', country: 'Germany' });
  expect(papers.numbers).toHaveLength(1);
  const file = papers.files.find(({ of }) => of === 'Personal proof: Passport');
  const opened = await fetch(`${server.url}/operator/v1/submission_files?file=${file?.id}`, {
    headers: { 'api-key': reviewer.key },
  });
  expect([opened.status, await opened.text()]).toEqual([200, pdf]);
  expect(Object.fromEntries(opened.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'content-security-policy': "script-src 'none'; frame-ancestors 'self'",
    'cache-control': 'no-store',
  });
  const [entry] = await server.env.db
    .selectFrom('audit_log')
    .select(['actor', 'action', 'subject_id'])
    .where('action', '=', 'file.opened')
    .execute();
  expect(entry).toEqual({ actor: reviewer.email, action: 'file.opened', subject_id: file?.id });
  const decided = await reviewer.client.patch(`/submissions/${id}`, {
    data: { type: 'submissions', id, attributes: { decision: 'approve' } },
  });
  expect(decided.resource.attributes.status).toBe('approved');
  expect((await server.client.get(`/dids/${did}`)).resource.attributes.blocked).toBe(false);
});

test('a file that cannot be decrypted is refused in words, and papers that are not there are not found', async () => {
  const { client } = await addOperator(server, 'reviewer');
  const { id } = await submission();
  const { files }: Papers = JSON.parse((await client.get(`/submission_papers?submission=${id}`)).text);
  // As if it had been encrypted for keys that this server never had.
  await server.env.pool.query(
    `update stored_files set fingerprint = repeat('0', length(fingerprint)) where id = (select stored_file_id from kept_files where id = $1)`,
    [files[0]?.id],
  );
  const refused = await client.get(`/submission_files?file=${files[0]?.id}`);
  expect([refused.status, refused.errors[0]?.detail]).toEqual([422, expect.stringContaining('another key')]);
  expect((await client.get('/submission_papers?submission=ABC-123456')).status).toBe(404);
  expect((await client.get(`/submission_files?file=${id}`)).status).toBe(404);
});

test('a rejection needs reasons, is told to the customer, and is decided once', async () => {
  const reviewer = await addOperator(server, 'reviewer');
  const { id, did } = await submission();
  const decide = (attributes: object) =>
    reviewer.client.patch(`/submissions/${id}`, { data: { type: 'submissions', id, attributes } });
  for (const none of [{}, { reject_reasons: null }]) {
    expect((await decide({ decision: 'reject', ...none })).errors[0]?.detail).toContain('needs reasons');
  }
  const rejected = await decide({
    ...{ decision: 'reject', reject_reasons: ['Expired passport'], reject_comment: 'Please send the new one.' },
  });
  expect([rejected.status, rejected.resource.attributes]).toMatchObject([200, { status: 'rejected' }]);
  const told = (await server.client.get(`/address_verifications/${id}`)).resource.attributes;
  expect(told).toMatchObject({ status: 'rejected', reject_reasons: ['Expired passport'] });
  expect((await server.client.get(`/dids/${did}`)).resource.attributes.blocked).toBe(true);
  expect((await decide({ decision: 'approve' })).errors[0]?.detail).toContain('decided already');
  const audit = await server.env.db
    .selectFrom('audit_log')
    .select(['action', 'actor'])
    .where('subject_id', '=', id)
    .execute();
  expect(audit).toEqual([{ action: 'verification.rejected', actor: reviewer.email }]);
});
