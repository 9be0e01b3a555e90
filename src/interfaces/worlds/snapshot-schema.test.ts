/** Which snapshot files fit the schema of a program that has gone on since. */
import { expect, test } from 'vitest';
import { schemaOf } from '../../engines/db/schema-files.fixture.ts';
import type { SnapshotHeader } from './snapshot-format.ts';
import { requireLoadable } from './snapshot-schema.ts';

const baseline = 'create table goods (id int);';
const adding = 'alter table goods add column price int default 1;\ncreate index goods_price on goods (price)';

const headerOf = (migrations: SnapshotHeader['migrations']): SnapshotHeader => ({
  trunkline_snapshot: 2,
  saved_at: '2026-01-01T00:00:00.000Z',
  migrations,
  secrets: false,
  state: { clock_offset_ms: 0, clock_factor: null, catalogue: null },
});
const load = (from: string[], now: string[]) => () => {
  const { baseline: made, migrations } = schemaOf(baseline, from);
  requireLoadable(headerOf([made, ...migrations]), schemaOf(baseline, now));
};

test('one of the same schema, or of one to which only columns and tables were added, is loaded', () => {
  expect(load([adding], [adding])).not.toThrow();
  expect(load([], [adding])).not.toThrow();
});

test.each([
  'update goods set id = 2',
  '  insert into goods values (1)',
  'delete from goods',
  'alter table goods rename column id to number',
  'alter table goods drop column id',
  'alter table goods alter column id type bigint',
  'do $$ begin end $$',
])('one from before a migration that does more is refused: %s', (step) => {
  expect(load([], [adding, step])).toThrow('saved by an older Trunkline');
  expect(load([adding, step], [adding, step])).not.toThrow();
});

test('one of a newer schema, or of another text of a migration, is refused', () => {
  expect(load([adding], [])).toThrow('saved by a newer Trunkline');
  expect(load([adding], ['select 1'])).toThrow('another form of 1001_test.sql');
});
