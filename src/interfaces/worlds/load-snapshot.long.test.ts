/**
 * A snapshot file is a stranger's input: it brings nothing that the account could not have made, and does not keep the
 * server busy.
 */
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { createTestEnvironment, environmentOf } from '../../../test/support/environment.ts';
import { makeSnapshotAccount } from '../../../test/support/snapshot-account.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createPool } from '../../engines/db/pool.ts';
import { problemOfLoaded } from '../../run/boot/loaded-rows.ts';
import { sealedColumns as sealed } from '../../run/boot/sealed-columns.ts';
import { loadSnapshotFile } from './load-snapshot.ts';
import { saveSnapshotFile } from './save-snapshot.ts';

const limits = { bytes: 200 * 2 ** 20, lineBytes: 4 * 2 ** 20, lines: 1000 };
const passphrase = 'correct horse battery';

const house = useOpened(async () => {
  const source = await createTestEnvironment();
  const account = await makeSnapshotAccount(source.env, 'Acme', '0017');
  const target = await createTestDatabase();
  const pool = createPool(target.url, { max: 2 });
  const { serverKey, changes, clock } = source.env;
  const connection = source.env.pool.options.connectionString ?? '';
  const save = async (secret: string | null): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    const saving = { url: connection, serverKey, sealed, passphrase: secret };
    await saveSnapshotFile(saving, async (chunk) => void chunks.push(chunk));
    return Buffer.concat(chunks);
  };
  const close = async () => {
    await pool.end();
    await target.drop();
    await source.close();
  };
  const loaded = environmentOf('sandbox', pool, changes, clock);
  return { account, url: target.url, serverKey, save, loaded, plain: await save(null), close };
});

const load = (content: Buffer, secret: string | null = null): Promise<void> =>
  loadSnapshotFile(
    { url: house.url, serverKey: house.serverKey, sealed, passphrase: secret, limits, patienceMs: 60_000 },
    Readable.from([content]),
  );
const lines = () => gunzipSync(house.plain).toString().split('\n');
const zipped = (changed: readonly string[]) => gzipSync(changed.join('\n'));
const withTable = (table: string, columns: string[], ...rows: string[]) =>
  zipped([...lines().slice(0, -1), JSON.stringify({ table, columns }), ...rows, '\\.', '']);
const withHeader = (change: object) => {
  const [header = '', ...rest] = lines();
  return zipped([JSON.stringify({ ...JSON.parse(header), ...change }), ...rest]);
};
/** A file of the account alone, with other values in its row. */
const withAccount = (values: Record<string, string>, ...more: string[]) => {
  const at = lines().findIndex((line) => line.startsWith('{"table":"accounts"'));
  const [header = '', head = '', row = ''] = [lines()[0], ...lines().slice(at, at + 2)];
  const columns: string[] = JSON.parse(head).columns;
  const fields = row.split('\t').map((field, index) => values[columns[index] ?? ''] ?? field);
  return zipped([header, head, fields.join('\t'), '\\.', ...more, '']);
};
const withMessage = (values: Record<string, string>) => {
  const message = { ...sentMessage, account_id: house.account.id, ...values };
  const head = JSON.stringify({ table: 'sandbox_messages', columns: Object.keys(message) });
  return withAccount({}, head, Object.values(message).join('\t'), '\\.');
};
const changed = (from: string | RegExp, to: string): Buffer => {
  const text = lines().join('\n');
  expect(text.replace(from, to)).not.toBe(text);
  return gzipSync(text.replace(from, to));
};

const noTable = 'The file has a table that snapshots do not have.';
const anId = '5c4a8f2e-0000-4000-8000-000000000000';
const sentMessage = {
  ...{
    id: '7',
    verification_id: anId,
    destination: '4915112345678',
    delivery_method: 'sms',
    language: 'en',
    copy: '1',
  },
  ...{ text: 'Your code is 123456', code: '123456', created_at: '2026-01-01' },
};

test.each<[what: string, content: () => Buffer, reason: string]>([
  ['an e-mail', () => withTable('mails', ['id', 'kind'], `${anId}\tx`), noTable],
  ['a job', () => withTable('jobs', ['id'], '1'), noTable],
  ['a session', () => withTable('panel_sessions', ['id'], anId), noTable],
  ['a carrier', () => withTable('carriers', ['id'], anId), noTable],
  ['a provider', () => withTable('verification_providers', ['id'], anId), noTable],
  ['an answer to a repeated request', () => withTable('idempotency_keys', ['key'], 'x'), noTable],
  ['a table twice', () => withTable('countries', ['id'], anId), 'The file is damaged.'],
  [
    'SQL for a column',
    () => withTable('balance_alerts', ['threshold); drop table x; --'], '1'),
    'a column of balance_alerts',
  ],
  ['a balance', () => changed('"accounts","columns":[', '"accounts","columns":["balance",'), 'a column of accounts'],
  [
    'limits of its own',
    () => changed('"accounts","columns":[', '"accounts","columns":["limits",'),
    'a column of accounts',
  ],
  [
    "another tenant's file",
    () => changed('"api_keys","columns":[', '"api_keys","columns":["rate_limit",'),
    'a column of api_keys',
  ],
  ['money from nowhere', () => changed(/(\tcustomer\t[0-9a-f-]{36}\t)50/, '$15000'), 'do not balance'],
  ['rows of nobody', () => withTable('balance_alerts', ['account_id', 'threshold'], `${anId}\t1`), 'in balance_alerts'],
  [
    'a text for a number',
    () => withTable('balance_alerts', ['account_id', 'threshold'], `${anId}\tx`),
    'rows that cannot be',
  ],
  [
    'too many rows',
    () => withTable('balance_alerts', ['account_id'], ...Array(1001).fill(anId)),
    'more than 1000 rows',
  ],
  ['a row without end', () => gzipSync(`${lines()[0]}\n${'x'.repeat(40 * 2 ** 20)}`), 'a row of more than 4 MiB'],
  ['no end of the file', () => house.plain.subarray(0, house.plain.length - 100), 'cut off'],
  ['no end of a table', () => zipped([...lines().slice(0, -2), '']), 'cut off'],
  ['secrets in clear', () => withHeader({ secrets: true }), 'The file is damaged.'],
  [
    'a clock beyond time',
    () => withHeader({ state: { clock_offset_ms: 1e17, clock_factor: null, catalogue: null } }),
    'damaged',
  ],
  ['the form with keys', () => withHeader({ trunkline_snapshot: 1 }), 'held the keys of every account'],
  ['a later form', () => withHeader({ trunkline_snapshot: 3 }), 'saved by a newer Trunkline'],
  [
    'a later schema',
    () => withHeader({ migrations: [{ version: 9999, name: 'x', checksum: 'x' }] }),
    'by a newer Trunkline',
  ],
  [
    'a schema of before the baseline',
    () => withHeader({ migrations: [{ version: 660, name: 'x', checksum: 'x' }] }),
    'by an older Trunkline',
  ],
  ['no schema', () => withHeader({ migrations: [] }), 'by an older Trunkline'],
  ['a schema of nothing', () => withHeader({ migrations: [null] }), 'The file is damaged.'],
  ['something else', () => Buffer.from('nothing'), 'The file is not a snapshot'],
  ['a moment without end', () => withAccount({ created_at: 'infinity' }), 'created_at in accounts is out of bounds'],
  [
    'a year of six digits',
    () => withAccount({ created_at: '294276-01-01' }),
    'created_at in accounts is out of bounds',
  ],
  ['an amount that is none', () => withAccount({ credit: 'NaN' }), 'credit in accounts is out of bounds'],
  ['a name without end', () => withAccount({ name: 'a'.repeat(3 * 2 ** 20) }), 'index row requires'],
  ['a long text', () => withMessage({ text: 'x'.repeat(20_001) }), 'text in sandbox_messages is out of bounds'],
  ['messages of nobody', () => withMessage({ account_id: anId }), 'rows of sandbox_messages that belong to no account'],
])('a file with %s is refused', async (_what, content, reason) => {
  await expect(load(content())).rejects.toThrow(reason);
});

test('a sealed file opens with its passphrase only, and not if a byte of it was changed', async () => {
  const file = await house.save(passphrase);
  await expect(load(file)).rejects.toThrow('the passphrase is needed');
  await expect(load(file, 'another passphrase')).rejects.toThrow('The passphrase is not that of the file');
  const forged = Buffer.from(file);
  forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
  await expect(load(forged, passphrase)).rejects.toThrow('The passphrase is not that of the file');
  await load(file, passphrase);
  expect(await problemOfLoaded(house.loaded)).toBeNull();
});

test('values are those that the interface accepts, and the books hold', async () => {
  const { pool } = house.loaded;
  await load(house.plain);
  expect(await problemOfLoaded(house.loaded)).toBeNull();
  await load(changed('sip.example.net', 'sip.example.net\\\\r\\\\nVia: x'));
  expect(await problemOfLoaded(house.loaded)).toMatch(/^configuration of voice_in_trunks .* \(host\)\.$/);
  await load(house.plain);
  await pool.query("update voice_in_trunks set cli_prefix = '$(x)'");
  expect(await problemOfLoaded(house.loaded)).toMatch(/^cli_prefix of voice_in_trunks/);
  await load(house.plain);
  const { rows } = await pool.query('select balance from accounts');
  expect(rows).toEqual([{ balance: '50.0000' }]);
});

test('settings are those that the interface would have let in', async () => {
  await load(house.plain);
  // One connection, so that each change can be taken back.
  const pool = createPool(house.url, { max: 1 });
  const own = '(select id from accounts limit 1)';
  for (const [change, problem] of [
    ["update accounts set api_version = '1999-01-01'", 'accounts: there is no API version "1999-01-01".'],
    ["update accounts set name = E'a\\r\\nb'", 'accounts: there has to be a name, of at most 255 characters.'],
    ["update accounts set email = 'nobody'", 'accounts: "nobody" is not an e-mail address.'],
    [
      `update accounts set call_events = '{"url":"file:///etc/passwd","gzip":true}'`,
      'accounts: "file:///etc/passwd" is not',
    ],
    ["update accounts set call_events = '[1]'", 'accounts: call events need an URL.'],
    ["update api_keys set scopes = '{everything}'", 'api_keys: "everything" is not a scope of a key.'],
    [`update api_keys set name = repeat('x', 101)`, 'api_keys: there has to be a name, of at most 100 characters.'],
    ["update otp_applications set callback_url = 'gopher://x'", 'otp_applications: The callback URL must be'],
    [`update otp_applications set senders = '[1]'`, 'otp_applications: the senders are not texts by name.'],
    [`update otp_applications set senders = '{"default":"a b\\r\\nc"}'`, 'otp_applications: "a b'],
    ["update dids set number = '4420794600a'", 'dids: "4420794600a" is not a number.'],
    [
      `insert into balance_alerts (account_id, threshold, callback_url, is_below) values (${own}, 1, 'ftp://x', false)`,
      'balance_alerts: the callback needs',
    ],
    [
      `insert into call_event_streams (account_id, stream, url, gzip) values (${own}, 'voice_in_cdr', 'ftp://x', false)`,
      'call_event_streams: "ftp://x" is not',
    ],
    [
      `insert into faults (id, account_id, match, action, probability, seed, created_at)
       values ('${anId}', ${own}, '{}', '{"status":"x"}', 1, 1, now())`,
      'faults: one is none that could have been asked for.',
    ],
  ] as const) {
    await pool.query('begin');
    await pool.query(change);
    const found = await problemOfLoaded({ ...house.loaded, pool });
    expect(found?.slice(0, problem.length), change).toBe(problem);
    await pool.query('rollback');
  }
  await pool.end();
});

test('rows of one account that refer to another are refused', async () => {
  await load(house.plain);
  const text = lines().join('\n');
  const head = /"table":"accounts","columns":\[([^\]]*)\]\}\n([^\n]*)\n/.exec(text);
  const second = (head?.[2] ?? '')
    .replace(house.account.id, anId)
    .replace('Acme', 'Shadow')
    .replace('acme@', 'shadow@');
  const withSecond = text.replace(`${head?.[2]}\n`, `${head?.[2]}\n${second}\n`);
  const [, trunk = ''] = /"table":"dids".*\n([0-9a-f-]{36}\t[0-9a-f-]{36})/.exec(text) ?? [];
  const [did = ''] = trunk.split('\t');
  await expect(load(gzipSync(withSecond.replace(trunk, `${did}\t${anId}`)))).rejects.toThrow(
    'refer to another account',
  );
});
