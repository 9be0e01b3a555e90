/** Partitions of months are there before they are needed. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { ensureMonths, prepareMonths } from './months.ts';

const house = useOpened(() => createTestEnvironment({ at: '2026-11-30T23:59:59Z' }));

async function partsOf(parent: string): Promise<string[]> {
  const { rows } = await house.env.pool.query<{ name: string }>(
    'select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass($1) order by 1',
    [parent],
  );
  return rows.map(({ name }) => name);
}

test('tables of this month and the next two are there ahead of time; events go after 90 days, CDRs stay', async () => {
  const old = new Date('2026-07-15T00:00:00Z');
  for (const table of ['call_events', 'cdrs_in'] as const) await ensureMonths(house.env, table, old);
  await prepareMonths(house.env);
  expect(await partsOf('cdrs_in')).toEqual([
    'cdrs_in_2026_07',
    'cdrs_in_2026_11',
    'cdrs_in_2026_12',
    'cdrs_in_2027_01',
  ]);
  expect(await partsOf('call_events')).toEqual(['call_events_2026_11', 'call_events_2026_12', 'call_events_2027_01']);
});

test('several processes may ask for the same month at once', async () => {
  const at = new Date('2028-02-29T00:00:00Z');
  await Promise.all(
    Array.from({ length: 5 }, () => house.env.pool.query('select ensure_month_partition($1, $2)', ['cdrs_out', at])),
  );
  expect(await partsOf('cdrs_out')).toContain('cdrs_out_2028_02');
});
