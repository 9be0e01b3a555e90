/** The log of requests keeps whole days: a day's first entry makes its partition and drops those that are too old. */
import { expect, test } from 'vitest';
import { createTestEnvironment } from '../../../test/support/environment.ts';
import { useOpened } from '../../../test/support/use.ts';
import { createRequestLog, type LoggedRequest } from './request-log.ts';

const opened = useOpened(() => createTestEnvironment());

const requestAt = (at: string): LoggedRequest => ({
  at: new Date(at),
  ...{ accountId: null, callerKind: null, callerId: null, method: 'GET', route: '/v3/balance', path: '/v3/balance' },
  ...{ status: 200, durationMs: 3, address: '127.0.0.1', requestId: at },
});

async function daysKept(): Promise<string[]> {
  const { rows } = await opened.env.pool.query(
    `select right(c.relname, 10) as day from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'api_requests'::regclass order by 1`,
  );
  return rows.map(({ day }) => day);
}

test('days are dropped as a whole once they are older than what is kept', async () => {
  const log = createRequestLog(opened.env, 2);
  const write = async (...times: string[]) => {
    for (const time of times) log.note(requestAt(time));
    await log.close();
  };
  await write('2026-06-01T10:00:00Z', '2026-06-01T23:59:59Z', '2026-06-02T00:00:00Z', '2026-06-03T12:00:00Z');
  expect(await daysKept()).toEqual(['2026_06_01', '2026_06_02', '2026_06_03']);
  // Two days before this moment is a part of the 2nd: it stays.
  await write('2026-06-04T12:00:00Z');
  expect(await daysKept()).toEqual(['2026_06_02', '2026_06_03', '2026_06_04']);
  await write('2026-06-10T00:00:00Z');
  expect(await daysKept()).toEqual(['2026_06_10']);
  const { rows } = await opened.env.pool.query('select request_id from api_requests');
  expect(rows).toEqual([{ request_id: '2026-06-10T00:00:00Z' }]);
});

const idsKept = async () =>
  (await opened.env.pool.query('select request_id from api_requests order by at')).rows.map(
    ({ request_id }) => request_id,
  );

test('there is a day for every time that the clock may reach, also when it jumps between two requests', async () => {
  const log = createRequestLog(opened.env, 2);
  // A hundred years on, the furthest that a sandbox goes, in one batch with what was before.
  const [before, after, later] = ['2026-06-11T10:00:00Z', '2126-06-11T10:00:00Z', '2126-06-12T00:00:00Z'];
  for (const at of [before, after, later]) log.note(requestAt(at));
  await log.close();
  expect([log.dropped, await daysKept(), await idsKept()]).toEqual([0, ['2126_06_11', '2126_06_12'], [after, later]]);
});

test('a day that another process has dropped is made again', async () => {
  const log = createRequestLog(opened.env, 2);
  const [first, second] = ['2126-06-20T10:00:00Z', '2126-06-20T11:00:00Z'];
  log.note(requestAt(first));
  await log.close();
  await opened.env.pool.query(`select drop_day_partitions('api_requests', '2127-01-01')`);
  log.note(requestAt(second));
  await log.close();
  expect([log.dropped, await idsKept()]).toEqual([0, [second]]);
});
