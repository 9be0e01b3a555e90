/**
 * A database of the last schema before the baseline becomes one that cannot be told from a new one; others are refused.
 */
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { useEmptyDatabase } from '../../../test/support/empty-database.ts';
import { makeSchemaBeforeBaseline } from '../../../test/support/last-schema-before-baseline.ts';
import { readSchema } from '../../../test/support/read-schema.ts';
import { buildIndexes } from './build-indexes.ts';
import { migrate } from './migrate.ts';
import { createPool } from './pool.ts';
import { shippedSchema } from './schema-files.ts';

const database = useEmptyDatabase();

const account = 'aaaaaaaa-0000-4000-8000-000000000001';
const trunk = 'bbbbbbbb-0000-4000-8000-000000000001';
const query = async (text: string) => (await database.pool.query(text)).rows;

async function schemaOfNewDatabase(): Promise<Record<string, string[]>> {
  const fresh = await createTestDatabase({ empty: true });
  const pool = createPool(fresh.url);
  await migrate(pool);
  const schema = await readSchema(pool);
  await pool.end();
  await fresh.drop();
  return schema;
}

test('its schema is then that of a new database, and another start finds nothing to do', async () => {
  await makeSchemaBeforeBaseline(database.pool);
  const applied = await migrate(database.pool);
  const steps = (await shippedSchema()).migrations.map(({ name }) => name);
  expect(applied).toEqual(['1000_baseline', ...steps, expect.stringMatching(/^\d+ functions and views$/)]);
  const [moved, fresh] = [await readSchema(database.pool), await schemaOfNewDatabase()];
  expect(Object.keys(moved).length).toBeGreaterThan(8);
  for (const [what, lines] of Object.entries(fresh)) {
    expect(lines.length, what).toBeGreaterThanOrEqual(what === 'types' ? 0 : 1);
    expect(moved[what], what).toEqual(lines);
  }
  expect(await migrate(database.pool)).toEqual([]);
});

test('its rows stay, and get what newer columns need', async () => {
  await makeSchemaBeforeBaseline(database.pool);
  await query(`
    insert into accounts (id, name, created_at) values ('${account}', 'Old', '2026-01-01');
    insert into voice_out_trunks (id, account_id, name, on_cli_mismatch_action, authentication_type, authentication, created_at)
      values ('${trunk}', '${account}', 'out', 'reject_call', 'ip_only', '{"allowed_sip_ips": ["192.0.2.1/32"]}', '2026-01-01');
    insert into deliveries (account_id, kind, method, url, payload, batch, status, created_at, finished_at)
      select '${account}', 'trunk_status', 'post', 'http://example.net', '{}', '${trunk}', s, '2026-01-01',
        case s when 'delivered' then timestamptz '2026-01-02' end
      from unnest(array['pending', 'delivered']) s;
    insert into sign_in_failures (subject, attempt_id, at) values ('x', '${account}', '2026-01-01')`);
  await migrate(database.pool);
  expect(await query('select name, held::float from accounts')).toEqual([{ name: 'Old', held: 0 }]);
  // More than any threshold, so that the next call computes it.
  expect(await query('select name, spent_at_most::float from voice_out_trunks')).toEqual([
    { name: 'out', spent_at_most: 1e9 },
  ]);
  expect(await query('select status, place is not null as placed from deliveries order by 1')).toEqual([
    { status: 'delivered', placed: false },
    { status: 'pending', placed: true },
  ]);
  expect(await query('select checked from sign_in_failures')).toEqual([{ checked: true }]);
});

test.each([
  [1, ['former'], ['current', 'demo']],
  [2, [], ['demo']],
])('copies of a sandbox with %i accounts held all of them', async (accounts, snapshots, worlds) => {
  await makeSchemaBeforeBaseline(database.pool);
  await query(`
    insert into accounts (id, name, created_at) values ('${account}', 'Old', '2026-01-01');
    insert into accounts (name, created_at) select 'Other ' || n, '2026-01-01' from generate_series(2, ${accounts}) n;
    insert into world_snapshots (id, account_id, name, created_at, complete) values ('former', '${account}', 'x', '2026-01-01', true);
    insert into worlds (id, state, template, origin, account_id, created_at, used_at)
      select origin, 'used', 't', origin, '${account}', '2026-01-01', '2026-01-01' from unnest(array['current', 'demo']) origin`);
  await migrate(database.pool);
  const ids = async (text: string) => (await query(text)).map(({ id }) => id);
  expect(await ids('select id from world_snapshots')).toEqual(snapshots);
  expect(await ids("select id from worlds where state = 'used' order by id")).toEqual(worlds);
});

test('its new indexes can be built before', async () => {
  await makeSchemaBeforeBaseline(database.pool);
  const lines: string[] = [];
  await buildIndexes(database.pool, await shippedSchema(), (line) => lines.push(line));
  expect(lines).toContainEqual(expect.stringMatching(/^did_reservations_group: [\d.]+ s$/));
  await migrate(database.pool);
});

test('an older one is refused, with what to start first; so are others of before the baseline', async () => {
  await makeSchemaBeforeBaseline(database.pool, 612);
  const sentence = 'The database has the schema 0612_recount_by_list.sql, which is too old for this Trunkline; start ';
  await expect(migrate(database.pool)).rejects.toThrow(
    `${sentence}Trunkline 0.1.0 at commit 1a3f0675 on it first, then this one.`,
  );
  await query(`insert into schema_migrations values (660, '0660_x.sql', 'x', now())`);
  await expect(migrate(database.pool)).rejects.toThrow('another text of its migrations than Trunkline 0.1.0');
  await query(`insert into schema_migrations values (770, '0770_x.sql', 'x', now())`);
  await expect(migrate(database.pool)).rejects.toThrow('has the schema 0770_x.sql, which was never released');
  expect(await query(`select to_regclass('schema_functions') as made`)).toEqual([{ made: null }]);
});
