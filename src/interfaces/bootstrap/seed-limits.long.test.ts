/** What an account may make with seeds, in one request and in a day, with the accounts that it made. */
import { expect, test } from 'vitest';
import { startTestServer } from '../../../test/support/server.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createApplication } from '../verification/application.writes.ts';

const seedLimits = { records: 10_000, accounts: 50 };
const server = useOpened(() => startTestServer({ seedLimits }));

const seed = async (body: object, key = server.key) => {
  const response = await fetch(`${server.url}/sandbox/v1/seed`, {
    method: 'POST',
    headers: { 'api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) };
};
const setMade = (counts: { records?: number; accounts?: number }) =>
  server.env.db.updateTable('seed_budgets').set(counts).where('account_id', '=', server.accountId).execute();
const made = () =>
  server.env.db
    .selectFrom('seed_budgets')
    .select(['records', 'accounts'])
    .where('account_id', '=', server.accountId)
    .executeTakeFirstOrThrow();
const countOf = async (table: 'available_dids' | 'accounts') =>
  Number((await server.env.pool.query(`select count(*) from ${table}`)).rows[0].count);
const numbers = (count: number) => ({ numbers: [{ country: 'GB', prefix: '20', count }] });

test('one request names so many records at most, also when they exist', async () => {
  const { status, body } = await seed({ numbers: Array.from({ length: 11 }, () => numbers(1000).numbers[0]) });
  expect([status, body]).toEqual([422, { error: 'One request may name at most 10000 records; these are 11000.' }]);
});

test('a day has an end, of which nothing is kept that went beyond it; what exists does not count', async () => {
  expect((await seed(numbers(3))).status).toBe(201);
  // Three numbers and their group.
  expect(await made()).toEqual({ records: 4, accounts: 0 });
  expect((await seed(numbers(3))).status).toBe(201);
  expect(await made()).toEqual({ records: 4, accounts: 0 });

  await setMade({ records: seedLimits.records - 2 });
  const before = await countOf('available_dids');
  const refused = await seed(numbers(6));
  expect(refused).toEqual({ status: 429, body: { error: 'Seeds of an account make at most 10000 records a day.' } });
  expect(await countOf('available_dids')).toBe(before);
  expect((await seed(numbers(5))).status).toBe(201);

  await server.env.pool.query(`update seed_budgets set day = day - 1`);
  expect((await seed(numbers(6))).status).toBe(201);
  expect(await made()).toEqual({ records: 1, accounts: 0 });
});

test('accounts that a seed made count for the account that made them, whatever they make', async () => {
  const key = 'the key of a seeded account';
  const first = { accounts: [{ name: 'First', api_keys: [{ name: 'ci', key }] }] };
  expect((await seed(first)).status).toBe(201);
  await setMade({ records: 0, accounts: seedLimits.accounts - 1 });
  expect((await seed({ accounts: [{ name: 'Second' }] }, key)).status).toBe(201);
  expect(await made()).toEqual({ records: 0, accounts: seedLimits.accounts });
  const before = await countOf('accounts');
  for (const each of [key, server.key]) {
    expect((await seed({ accounts: [{ name: 'Third' }] }, each)).status).toBe(429);
  }
  expect(await countOf('accounts')).toBe(before);
  await setMade({ records: seedLimits.records });
  const call = { number: '442079460001', src_number: '33612345678', at: '-P1D' };
  expect((await seed({ accounts: [{ calls: [call] }] }, key)).status).toBe(429);
});

test('two seeds at once do not both take what is left', async () => {
  await setMade({ records: seedLimits.records - 1, accounts: 0 });
  const call = (at: string) => ({ accounts: [{ calls: [{ number: '442079460001', src_number: '33612345678', at }] }] });
  const both = await Promise.all([seed(call('-P2D')), seed(call('-P3D'))]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 429]);
});

test('the past is not longer than five years: a partition a month, a period after the other', async () => {
  await setMade({ records: 0, accounts: 0 });
  await createApplication(server.env, server.accountId, { name: 'web' });
  const past = { at: '0001-01-01T00:00:00Z', bought_at: '1900-01-01T00:00:00Z', created_at: '-P9999D' };
  const records = {
    calls: { number: '442079460001', src_number: '33612345678', at: past.at },
    numbers: { country: 'GB', prefix: '20', bought_at: past.bought_at },
    verifications: { destination: '4915112345678', status: 'verified', created_at: past.created_at },
  };
  for (const [member, record] of Object.entries(records)) {
    const { status, body } = await seed({ accounts: [{ [member]: [record] }] });
    const name = { calls: 'at', numbers: 'bought_at', verifications: 'created_at' }[member];
    const error = `accounts[0].${member}[0].${name} must be within the last 5 years.`;
    expect([member, status, body]).toEqual([member, 422, { error }]);
  }
});

test('without limits a suite may seed an account for each of its tests', async () => {
  const free = await startTestServer();
  try {
    for (let n = 1; n <= 51; n++) {
      const response = await fetch(`${free.url}/sandbox/v1/seed`, {
        method: 'POST',
        headers: { 'api-key': free.key, 'content-type': 'application/json' },
        body: JSON.stringify({ accounts: [{ name: `Test ${n}` }] }),
      });
      expect(response.status).toBe(201);
    }
  } finally {
    await free.close();
  }
});
