/** Seeds give accounts numbers, calls and verifications in the states they ask for. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import { freeBlocks } from '../../business/catalogue/generate.ts';
import { verifyLedger } from '../../business/money/ledger-checks.ts';
import { createApplication } from '../verification/application.writes.ts';
import { applyBootstrap } from './apply.ts';
import { parseBootstrap } from './parse.ts';
import { parseSeed } from './parse-seed.ts';
import { applySeed } from './seed.ts';

const house = useOpened(async () => {
  const made = await createTestEnvironment();
  const { id } = await createAccount(made.env, { name: 'Own', balance: '50.00' });
  await createApplication(made.env, id, { name: 'web' });
  return { ...made, accountId: id };
});

const seed = async (value: object) => applySeed(house.env, await parseSeed(value, 'Own'), house.accountId);
const refused = async (value: object) => {
  const count = async () => (await house.env.pool.query(everything)).rows;
  const before = await count();
  const error = await (async () => seed(value))().then(() => '', String);
  expect(await count()).toEqual(before);
  return error.replace(/^\w+: /, '');
};
const everything = `select (select count(*) from accounts) a, (select count(*) from dids) d, (select count(*) from available_dids) n,
  (select count(*) from did_groups) g, (select count(*) from countries) c, (select count(*) from verifications) v,
  (select count(*) from cdrs_in) r, (select sum(balance) from accounts) b`;
const dids = (number: string) =>
  house.env.db.selectFrom('dids').selectAll().where('number', '=', number).executeTakeFirstOrThrow();
const french = { country: 'FR', type: 'Mobile', needs_registration: true };

test('a French mobile number that needs registration is for sale, with what its country asks for', async () => {
  const { numbers } = await seed({ numbers: [{ ...french, count: 2 }] });
  expect(numbers).toMatchObject([
    { numbers: [expect.stringMatching(/^336\d{8}$/), expect.stringMatching(/^336\d{8}$/)] },
  ]);
  expect(await seed({ numbers: [{ ...french, count: 2 }] })).toMatchObject({ numbers });
  const requirements = await house.env.db
    .selectFrom('address_requirements as r')
    .innerJoin('countries as c', 'c.id', 'r.country_id')
    .select('r.id')
    .where('c.iso', '=', 'FR')
    .execute();
  expect(requirements.length).toBeGreaterThan(0);
});

test('where every number of a group is for sale, an owned one is taken off the market', async () => {
  const kind = { country: 'GB', prefix: '2079469' };
  await seed({ numbers: [kind] });
  const group = await house.env.db
    .selectFrom('did_groups as g')
    .innerJoin('countries as c', 'c.id', 'g.country_id')
    .select(['g.id', 'g.prefix', 'c.prefix as country_prefix'])
    .where('g.prefix', '=', kind.prefix)
    .executeTakeFirstOrThrow();
  const toFill = { ...group, country_prefix: group.country_prefix ?? '', number_length: null, nanpa_prefixes: [] };
  for (const { base } of freeBlocks(toFill)) {
    await house.env.pool.query(
      `insert into available_dids (id, number, did_group_id)
       select gen_random_uuid(), $1 || lpad(n::text, 3, '0'), $2 from generate_series(0, 999) as n on conflict do nothing`,
      [base, group.id],
    );
  }
  const { accounts } = await seed({ accounts: [{ numbers: [kind] }] });
  const number = accounts[0]?.numbers[0]?.number ?? '';
  expect(await dids(number)).toMatchObject({ did_group_id: group.id });
  expect(await house.env.db.selectFrom('available_dids').where('number', '=', number).execute()).toEqual([]);
});

test('owned numbers are in the state that the seed says', async () => {
  const states = ['active', 'blocked', 'canceled', 'expired'] as const;
  const numbers = [
    { ...french, state: 'awaiting_registration', number: '33612345678' },
    ...states.map((state, index) => ({ country: 'US', prefix: '212', number: `1212234567${index}`, state })),
    { country: 'GB', prefix: '20', description: 'any', bought_at: '-P40D' },
  ];
  const { accounts } = await seed({ accounts: [{ numbers }] });
  expect(accounts[0]?.numbers.map(({ number }) => number)).toEqual([
    '33612345678',
    '12122345670',
    '12122345671',
    '12122345672',
    '12122345673',
    expect.stringMatching(/^4420\d{8}$/),
  ]);
  const now = house.clock.now().getTime();
  const waiting = await dids('33612345678');
  expect(waiting).toMatchObject({ awaiting_registration: true, expires_at: null });
  expect(waiting.due_at?.getTime()).toBe(now + 30 * 86_400_000);
  expect(await dids('12122345670')).toMatchObject({ terminated: false, blocked_by_staff: false, periods: 1 });
  expect(await dids('12122345671')).toMatchObject({ blocked_by_staff: true });
  expect(await dids('12122345672')).toMatchObject({ terminated: true, expired_at: null });
  expect(await dids('12122345673')).toMatchObject({ terminated: true, expired_at: new Date(now - 86_400_000) });
  const bought = await dids(accounts[0]?.numbers[5]?.number ?? '');
  expect(bought.created_at.getTime()).toBe(now - 40 * 86_400_000);
  expect(bought.expires_at?.toISOString()).toBe('2026-07-06T12:00:00.000Z');
  // The same seed again finds what exists.
  expect(await seed({ accounts: [{ numbers }] })).toEqual({ numbers: [], accounts });
  expect((await verifyLedger(house.env.db)).filter(({ offences }) => offences.length > 0)).toEqual([]);
});

test('calls and verifications of the past are there, and a code that is pending is in the inbox', async () => {
  const calls = [
    {
      number: '12122345670',
      src_number: '+33612345679',
      at: '2025-01-31T23:00:00Z',
      ring_seconds: 4,
      talk_seconds: 60,
    },
    { number: '12122345670', src_number: '33612345679', at: '-PT1H', code: 486 },
  ];
  const destination = '+4915112345678';
  const verifications = [
    { destination, created_at: '-P1D', status: 'verified' },
    { destination, created_at: '-P2D', status: 'failed', error_code: 'too_many_attempts' },
    { destination, status: 'expired' },
    { destination: '4915112345679', status: 'denied' },
    { destination, application: 'web', code: '123456' },
  ];
  const { accounts } = await seed({ accounts: [{ calls, verifications }] });
  expect(await seed({ accounts: [{ calls, verifications }] })).toEqual({ numbers: [], accounts });
  const cdrs = await house.env.db.selectFrom('cdrs_in').selectAll().orderBy('time_start').execute();
  expect(cdrs).toMatchObject([
    { success: true, duration: 60, time_end: new Date('2025-01-31T23:01:04Z'), disconnect_code: 200 },
    { success: false, duration: 0, disconnect_code: 486, response: 'Busy Here' },
  ]);
  const rows = await house.env.db.selectFrom('verifications').select(['status', 'error_code']).orderBy('seq').execute();
  expect(rows).toEqual([
    { status: 'verified', error_code: null },
    { status: 'failed', error_code: 'too_many_attempts' },
    { status: 'pending', error_code: null },
    { status: 'denied', error_code: 'denied_by_callback' },
    { status: 'pending', error_code: null },
  ]);
  const inbox = await house.env.db.selectFrom('sandbox_messages').select(['code', 'text']).execute();
  expect(inbox.at(-1)).toEqual({ code: '123456', text: expect.stringContaining('123456') });
});

test('a balance is set, and another account is made', async () => {
  const made = { name: 'Other', balance: '7.50', api_keys: [{ name: 'ci', key: 'a key of more than sixteen' }] };
  const { accounts } = await seed({ accounts: [{ balance: '3.00' }, made] });
  expect(accounts.map(({ name }) => name)).toEqual(['Own', 'Other']);
  const rows = await house.env.db.selectFrom('accounts').select(['name', 'balance']).orderBy('name').execute();
  expect(rows).toEqual([
    { name: 'Other', balance: '7.5000' },
    { name: 'Own', balance: '3.0000' },
  ]);
  expect(await refused({ accounts: [made] })).toBe(
    'accounts[0].name is that of another account, which is not yours to change.',
  );
});

test.each([
  [
    { accounts: [{ balance: '9.00' }, { name: 'New', numbers: [{ country: 'ZZ' }] }] },
    'accounts[1].numbers[0].country is no country with telephone numbers.',
  ],
  [
    { numbers: [{ ...french }, { country: 'DE' }] },
    'numbers[1].prefix is needed: the catalogue has no number group of DE and Local.',
  ],
  [{ numbers: [{ country: 'FR', prefix: '1', number: '3312345' }] }, 'numbers[0].number has a wrong length for FR.'],
  [{ numbers: [{ country: 'DE', prefix: '30', features: ['fax'] }] }, 'numbers[0].features must be one of'],
  [{ numbers: [{ country: 'FR', number: '33612345678' }] }, 'numbers[0].number is owned already.'],
  [
    { accounts: [{ name: 'New', numbers: [{ country: 'FR', number: '33612345678' }] }] },
    'accounts[0].numbers[0].number belongs to another account.',
  ],
  [
    { accounts: [{ numbers: [{ country: 'GB', prefix: '20', state: 'awaiting_registration' }] }] },
    'accounts[0].numbers[0].state is not possible',
  ],
  [
    { accounts: [{ numbers: [{ country: 'GB', prefix: '20', state: 'lost' }] }] },
    'accounts[0].numbers[0].state must be "active" or',
  ],
  [
    { accounts: [{ calls: [{ number: '33612345678', src_number: '1', at: '+PT1H' }] }] },
    'accounts[0].calls[0].at must be past, and the call over.',
  ],
  [
    { accounts: [{ calls: [{ number: '33612345678', src_number: '1', at: 'yesterday' }] }] },
    'accounts[0].calls[0].at must be a time such as',
  ],
  [
    { accounts: [{ name: 'New', verifications: [{ destination: '4915112345678' }] }] },
    'accounts[0].verifications[0].application is needed: the account has no application.',
  ],
  [
    { accounts: [{ verifications: [{ destination: '4915112345678', status: 'verified', error_code: 'superseded' }] }] },
    'accounts[0].verifications[0].error_code does not go with the status verified.',
  ],
  [
    { accounts: [{ verifications: [{ destination: '4915112345678', created_at: '-P1D' }] }] },
    'accounts[0].verifications[0].created_at is too long ago for a pending verification.',
  ],
  [{ operators: [] }, 'operators is not a member that Trunkline knows'],
])('%j is refused as a whole', async (value, sentence) => {
  expect(await refused(value)).toContain(sentence);
});

test('the bootstrap file has the same members in its sandbox, and production has not', async () => {
  const account = { name: 'Filed', numbers: [{ country: 'GB', prefix: '20' }], calls: [], verifications: [] };
  const { sandbox } = parseBootstrap({ sandbox: { numbers: [{ country: 'GB', prefix: '20' }], accounts: [account] } });
  await applyBootstrap(house.env, sandbox);
  await applyBootstrap(house.env, sandbox);
  const owned = await house.env.db
    .selectFrom('dids as d')
    .innerJoin('accounts as a', 'a.id', 'd.account_id')
    .select('d.number')
    .where('a.name', '=', 'Filed')
    .execute();
  expect(owned).toHaveLength(1);
  expect(() => parseBootstrap({ production: { accounts: [account] } })).toThrow(
    'production.accounts[0].numbers is not a member that Trunkline knows',
  );
  expect(() => parseBootstrap({ production: { numbers: [] } })).toThrow('production.numbers is not a member');
});
