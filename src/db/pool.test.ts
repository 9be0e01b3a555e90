import { expect, it } from 'vitest';
import { createTestEnvironment } from '../../test/support/environment.ts';
import { useOpened } from '../../test/support/use.ts';
import { withoutTimeouts } from './timeouts.ts';

const test = useOpened(() => createTestEnvironment());

it('reads each kind of value in the form the rooms rely on', async () => {
  const { rows } = await test.env.pool.query(
    `select 42::int8 as integer, '0.10'::numeric as money, '2026-02-03'::date as day,
            '2026-02-03T04:05:06Z'::timestamptz as instant, '2026-02-03T23:30:00Z'::timestamptz::text as text`,
  );
  expect(rows).toEqual([
    {
      integer: 42,
      money: '0.10',
      day: '2026-02-03',
      instant: new Date('2026-02-03T04:05:06Z'),
      text: '2026-02-03 23:30:00+00',
    },
  ]);
});

it('refuses an integer that a number cannot hold instead of rounding it', async () => {
  await expect(test.env.pool.query('select 9007199254740993::int8')).rejects.toThrow('too large');
});

it('lets long work run without timeouts, and has them again afterwards', async () => {
  const client = await test.env.pool.connect();
  const statementTimeout = async () => (await client.query('show statement_timeout')).rows[0]?.statement_timeout;
  try {
    expect(await withoutTimeouts(client, statementTimeout)).toBe('0');
    expect(await statementTimeout()).toBe('30s');
  } finally {
    client.release();
  }
});
