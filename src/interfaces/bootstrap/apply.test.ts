/** What a bootstrap file makes, and that a second run changes nothing. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestEnvironment, type TestEnvironment } from '../../../test/support/environment.ts';
import { createAuthenticator } from '../../business/accounts/authenticate.ts';
import { updateCarrier } from '../../business/voice/carriers/carriers.ts';
import { findApplicationByKey } from '../verification/application.ts';
import { applyBootstrap } from './apply.ts';
import type { BootstrapSection } from './parse.ts';
import { parseBootstrap } from './parse.ts';

const key = 'a key of more than sixteen';
const applicationKey = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

const section = (account: object): BootstrapSection =>
  parseBootstrap({ sandbox: { accounts: [{ name: 'Acme', ...account }] } }).sandbox;

const full = section({
  email: 'ops@acme.test',
  password: 'a long enough password',
  balance: '1000.00',
  credit: '5.00',
  api_keys: [{ name: 'ci', key }],
  otp_applications: [
    { name: 'web', key: applicationKey, secret: Buffer.alloc(32, 9).toString('base64url'), code_length: 4 },
  ],
});

let test: TestEnvironment;
beforeEach(async () => {
  test = await createTestEnvironment();
});
afterEach(() => test.close());

const accounts = () => test.env.db.selectFrom('accounts').select(['name', 'balance', 'credit']).execute();

it('makes accounts, keys and applications that work', async () => {
  await applyBootstrap(test.env, full);

  expect(await accounts()).toEqual([{ name: 'Acme', balance: '1000.0000', credit: '5.0000' }]);
  expect(await createAuthenticator(test.env)(key, '127.0.0.1')).not.toBeNull();
  const application = await findApplicationByKey(test.env, applicationKey);
  expect(application).toMatchObject({ name: 'web', codeLength: 4, codeTimeout: 300, minimumMode: 'public' });
});

it('gives an account the version of the interface it asks for', async () => {
  await applyBootstrap(test.env, section({ api_version: '2022-05-10', api_keys: [{ name: 'ci', key }] }));
  expect(await createAuthenticator(test.env)(key, '127.0.0.1')).toMatchObject({ apiVersion: '2022-05-10' });
});

it('leaves what exists as it is', async () => {
  await applyBootstrap(test.env, full);
  await applyBootstrap(test.env, section({ balance: '7.00', api_keys: [{ name: 'other name', key }] }));

  expect(await accounts()).toEqual([{ name: 'Acme', balance: '1000.0000', credit: '5.0000' }]);
  const keys = await test.env.db.selectFrom('api_keys').select('name').execute();
  expect(keys).toEqual([{ name: 'ci' }]);
});

it('adds what is new to an account that exists', async () => {
  await applyBootstrap(test.env, section({}));
  await applyBootstrap(test.env, full);
  expect(await createAuthenticator(test.env)(key, '127.0.0.1')).not.toBeNull();
  expect(await findApplicationByKey(test.env, applicationKey)).not.toBeNull();
});

it('makes everything once when several processes start together', async () => {
  await Promise.all([1, 2, 3].map(() => applyBootstrap(test.env, full)));
  expect(await accounts()).toHaveLength(1);
});

it('says where in the file a key stands that another account has', async () => {
  await applyBootstrap(test.env, full);
  const other = { name: 'Other', api_keys: full.accounts[0]?.api_keys };
  const applications = { name: 'Third', otp_applications: full.accounts[0]?.otp_applications };
  const wrong = (account: object) => parseBootstrap({ sandbox: { accounts: [{ name: 'Acme' }, account] } }).sandbox;
  await expect(applyBootstrap(test.env, wrong(other))).rejects.toThrow(
    "The bootstrap file's sandbox.accounts[1].api_keys[0].key belongs to another account already.",
  );
  await expect(applyBootstrap(test.env, wrong(applications))).rejects.toThrow(
    "The bootstrap file's sandbox.accounts[1].otp_applications[0].key belongs to another account already.",
  );
  await expect(applyBootstrap(test.env, wrong({ name: 'Fourth', email: 'ops@acme.test' }))).rejects.toThrow(
    "The bootstrap file's sandbox.accounts[1] cannot be made:",
  );
});

it('makes carriers once, and leaves what an operator has changed of them', async () => {
  const { sandbox } = parseBootstrap({
    sandbox: { carriers: [{ name: 'North', addresses: ['192.0.2.7/24', '::1'] }] },
  });
  const carriers = () => test.env.db.selectFrom('carriers').select(['name', 'addresses', 'enabled']).execute();
  await applyBootstrap(test.env, sandbox);
  expect(await carriers()).toEqual([{ name: 'North', addresses: ['192.0.2.0/24', '::1/128'], enabled: true }]);
  await updateCarrier(test.env, 'North', { enabled: false });
  await applyBootstrap(test.env, sandbox);
  expect(await carriers()).toEqual([{ name: 'North', addresses: ['192.0.2.0/24', '::1/128'], enabled: false }]);
});
