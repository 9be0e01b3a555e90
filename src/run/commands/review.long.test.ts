/** Commands of a reviewer. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { run } from '../../../test/support/commands.ts';
import { encryptFile, pdf, testKeys } from '../../../test/support/encrypted-upload.ts';
import { link, made, makePaperwork } from '../../../test/support/paperwork.ts';
import { buyNumbers, loadPaperworkCatalogue } from '../../../test/support/registered-number.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { idOf } from '../../../test/support/small-catalogue.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { checksUploads } from '../../interfaces/platform/identities/open-file.ts';

let server: TestServer;
let data: string;
beforeAll(async () => {
  server = await startTestServer({ account: { name: 'Acme', balance: '100' } });
  await loadPaperworkCatalogue(server);
  data = await mkdtemp(path.join(os.tmpdir(), 'trunkline-review-'));
  const { connectionString = '' } = server.env.pool.options;
  vi.stubEnv('SANDBOX_DATABASE_URL', connectionString);
  vi.stubEnv('TRUNKLINE_SERVER_KEY', server.env.serverKey.reveal());
  vi.stubEnv('TRUNKLINE_DATA', data);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
  await rm(data, { recursive: true, force: true });
});

/** A submission that waits: its reference, its id and its number. */
async function submission() {
  const { address, identity } = await makePaperwork(server);
  const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
  const links = { address: link('addresses', address), dids: [link('dids', did)] };
  const id = await made(server.client, 'address_verifications', {}, links);
  const { attributes } = (await server.client.get(`/address_verifications/${id}`)).resource;
  return { id, did, identity, reference: String(attributes.reference) };
}

test('a reviewer lists, looks, opens and approves', async () => {
  expect(await run('review list')).toEqual(['Nothing waits for a review.']);
  const { id, did, reference, identity } = await submission();
  const attributes = { personal_tax_id: 'T-77', description: 'of the person' };
  const country = { data: link('countries', idOf('countries', 'GB')) };
  await server.client.patch(`/identities/${identity}`, {
    data: { type: 'identities', id: identity, attributes, relationships: { country } },
  });
  const [headings, line] = await run('review list');
  expect(headings).toMatch(/^REFERENCE +KIND +ACCOUNT +IDENTITY/);
  expect(line).toMatch(new RegExp(`^${reference} +address +Acme +Jane Doe +Berlin, Germany +1`));

  const shown = (await run('review show', reference)).join('\n');
  expect(shown).toMatch(/^Identity:\n(?: {2}.*\n)* {2}first_name: Jane\n/m);
  expect(shown).toMatch(
    /^ {2}personal_tax_id: T-77\n(?: {2}.*\n)* {2}country: United Kingdom\n {2}description: of the/m,
  );
  expect(shown).toMatch(/^Address:\n {2}address: Unter den Linden 1\n(?: {2}.*\n)* {2}country: Germany\n/m);
  const file = /^([0-9a-f-]{36}) +Personal proof: Passport/m.exec(shown)?.[1] ?? '';
  const target = path.join(data, 'passport.pdf');
  expect(await run('review open', file, target, '--reviewer', 'rita')).toEqual([
    `application/pdf written to ${target}`,
  ]);
  expect(await readFile(target, 'utf8')).toBe(pdf);
  expect((await stat(target)).mode & 0o077).toBe(0);
  // What is there stays, and the audit log notes no second opening.
  await writeFile(target, 'mine');
  await expect(run('review open', file, target)).rejects.toThrow(`${target} is there already and is not overwritten.`);
  expect(await readFile(target, 'utf8')).toBe('mine');

  expect(await run('review approve', reference, '--reviewer', 'rita')).toEqual([`${reference} is approved.`]);
  expect((await server.client.get(`/dids/${did}`)).resource.attributes.blocked).toBe(false);
  const log = await server.env.db
    .selectFrom('audit_log')
    .select(['actor', 'action', 'subject_id'])
    .orderBy('id')
    .execute();
  expect(log).toEqual([
    { actor: 'rita', action: 'file.opened', subject_id: file },
    { actor: 'rita', action: 'verification.approved', subject_id: id },
  ]);
  await expect(run('review approve', reference)).rejects.toThrow(`${reference} has been decided already.`);
});

test('a rejection needs a reason', async () => {
  const { id, reference } = await submission();
  await expect(run('review reject', reference)).rejects.toThrow('--reason is missing.');
  await run('review reject', reference, '--reason', 'Unreadable | Too old', '--comment', 'Again, please');
  expect((await server.client.get(`/address_verifications/${id}`)).resource.attributes).toMatchObject({
    reject_reasons: ['Unreadable', 'Too old'],
    reject_comment: 'Again, please',
  });
});

test('a file that does not open leaves nothing on disk', async () => {
  const { reference } = await submission();
  const blob = encryptFile('not a document at all', await testKeys(server.env));
  const chunk = await server.env.db
    .selectFrom('kept_files as k')
    .innerJoin('address_verifications as v', (join) => join.onTrue())
    .innerJoin('addresses as a', 'a.id', 'v.address_id')
    .innerJoin('proofs as p', 'p.id', 'k.proof_id')
    .select(['k.id', 'k.stored_file_id'])
    .whereRef('p.address_id', '=', 'a.id')
    .where('v.reference', '=', reference)
    .executeTakeFirstOrThrow();
  await server.env.pool.query('update stored_file_chunks set bytes = $1 where stored_file_id = $2', [
    blob,
    chunk.stored_file_id,
  ]);
  await server.env.pool.query('update stored_files set size = $1 where id = $2', [blob.length, chunk.stored_file_id]);
  const target = path.join(data, 'bill');
  await expect(run('review open', chunk.id, target)).rejects.toThrow(
    'It cannot be opened: the file is not a PDF, JPG or PNG.',
  );
  expect((await readdir(data)).filter((name) => name.startsWith('bill'))).toEqual([]);
  await expect(run('review open', 'nonsense', target)).rejects.toThrow(OperatorError);
});

test('requirements are loaded, again and again', async () => {
  expect(await run('requirements load')).toEqual(['Loaded 2 address and 3 emergency requirements.']);
  expect(await run('requirements load')).toEqual(['Loaded 2 address and 3 emergency requirements.']);
  await expect(run('requirements load', '--from', data)).rejects.toThrow('it holds one file per country');
});

test('an account gets a price of its own for emergency calling', async () => {
  const price = async () => {
    const { resources } = await server.client.get(
      `/emergency_requirements?filter[country.id]=${idOf('countries', 'US')}`,
    );
    return resources[0]?.meta?.monthly_price;
  };
  expect(await run('requirements rate', 'Acme', 'us', 'Local', '0.25')).toEqual(['Acme: US Local 0.25']);
  expect(await price()).toBe('0.25');
  await run('requirements rate', 'Acme', 'US', 'Local', 'off');
  expect(await price()).toBeUndefined();
  await run('requirements rate', 'Acme', 'US', 'Local', 'usual');
  expect(await price()).toBe('1.5');
  await expect(run('requirements rate', 'Acme', 'US', 'Local', 'much')).rejects.toThrow(
    'PRICE must be a price such as 1.50, "off" or "usual", not "much".',
  );
  await expect(run('requirements rate', 'Acme', 'AQ', 'Local', '1')).rejects.toThrow('no emergency requirement');
});

test('an account can be set to be decided at once', async () => {
  expect(await run('review auto', 'Acme', 'reject')).toEqual(['Submissions are decided at once: reject.']);
  expect(await run('review auto', 'Acme', 'off')).toEqual(['A person decides.']);
  await expect(run('review auto', 'Acme', 'perhaps')).rejects.toThrow(
    'The decision must be "approve" or "reject" or "off", not',
  );
  await expect(run('review auto', 'Nobody', 'off')).rejects.toThrow('There is no account');
});

test('uploads of an account can be looked into', async () => {
  expect(await run('review check-uploads', 'Acme', 'on')).toEqual(['Uploads are looked into.']);
  expect(await checksUploads(server.env.db, server.accountId)).toBe(true);
  expect(await run('review check-uploads', 'Acme', 'off')).toEqual(['Uploads are taken as they are.']);
  expect(await checksUploads(server.env.db, server.accountId)).toBe(false);
  await expect(run('review check-uploads', 'Acme', 'yes')).rejects.toThrow('The check must be "on" or "off", not');
});

test('an account can be given more or fewer days for its registrations', async () => {
  const waitsUntil = async () => {
    const [did = ''] = await buyNumbers(server, server.client, 'Berlin', 1);
    const row = await server.env.db
      .selectFrom('dids')
      .select(['due_at', 'activated_at'])
      .where('id', '=', did)
      .executeTakeFirstOrThrow();
    return (Number(row.due_at) - Number(row.activated_at)) / 86_400_000;
  };
  expect(await waitsUntil()).toBe(30);
  expect(await run('review deadline', 'Acme', '14')).toEqual(['Numbers wait 14 days.']);
  expect(await waitsUntil()).toBe(14);
  expect(await run('review deadline', 'Acme', 'usual')).toEqual(['Numbers wait as long as usual.']);
  expect(await waitsUntil()).toBe(30);
  await expect(run('review deadline', 'Acme', '0')).rejects.toThrow(
    'DAYS must be "usual" or a number of days from 1 to 9999, not',
  );
});
