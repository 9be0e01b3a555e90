/**
 * Guards count starts over several processes: two environments of one database, each with a server and connections of
 * its own.
 */
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FixedClock } from '../../../test/support/fixed-clock.ts';
import { createProcesses, type Processes } from '../../../test/support/processes.ts';
import { VerificationClient } from '../../../test/support/verification-client.ts';
import { listen } from '../../../test/support/verification-server.ts';
import { createAccount } from '../../business/accounts/accounts.ts';
import type { Environment } from '../../engines/environment.ts';
import { createHttpServer } from '../server/http-server.ts';
import { createApplication } from './application.writes.ts';
import { verificationRoom } from './room.ts';
import { foldCounts } from './start-counts.ts';

const now = new Date('2026-06-15T12:00:00Z');
const day = '2026-06-15T00:00:00Z';

let processes: Processes;
let servers: { env: Environment; app: FastifyInstance; url: string }[];
beforeAll(async () => {
  processes = await createProcesses();
  servers = await Promise.all(
    [1, 2].map(async () => {
      const env = await processes.start('sandbox', new FixedClock(now));
      const app = await createHttpServer(env, { rooms: [(scope) => verificationRoom(scope, env)] });
      return { env, app, url: await listen(app) };
    }),
  );
});
afterAll(async () => {
  await Promise.all(servers.map(({ app }) => app.close()));
  await processes.close();
});

const first = () => {
  const [server] = servers;
  if (server === undefined) throw new Error('there is no server');
  return server.env;
};

let numbers = 0;
const fresh = () => `49152${String(++numbers).padStart(8, '0')}`;

/** An application with a limit of its own, and a start of it at one of the processes. */
async function limited(dailyLimit: number) {
  const { id: accountId } = await createAccount(first(), { name: `Account ${++numbers}`, balance: '100' });
  const { id, key, secret } = await createApplication(first(), accountId, { name: 'web', dailyLimit });
  const clients = servers.map(({ url }) => new VerificationClient(url, { key, secret: secret.reveal() }));
  const start = async (process: number) =>
    (await clients[process % 2]?.start({ destination: fresh(), delivery_method: 'sms' }))?.status;
  return { id, start };
}

const entriesOf = async (application: string) => {
  const { rows } = await first().pool.query(
    `select (select count(*)::int from verification_start_counts where subject = $1) as rows,
            (select coalesce(sum(count), 0)::int from verification_counters where subject = $1) as folded`,
    [application],
  );
  return rows[0];
};

const addRows = (application: string, count: number) =>
  first().pool.query(
    `insert into verification_start_counts (guard, subject, window_start, count)
     select 'daily_volume', $1, $2, 1 from generate_series(1, $3)`,
    [application, day, count],
  );

test('of many parallel starts at two processes exactly as many pass as the limit allows', async () => {
  for (const limit of [1, 25]) {
    const { start } = await limited(limit);
    const statuses = await Promise.all(Array.from({ length: 60 }, (_, index) => start(index)));
    expect(statuses.filter((status) => status === 201)).toHaveLength(limit);
    expect(statuses.filter((status) => status === 429)).toHaveLength(60 - limit);
    expect([await start(0), await start(1)]).toEqual([429, 429]);
  }
});

test('far from the limit a start waits for nobody who counts in the same counter', async () => {
  const { id, start } = await limited(1_000);
  expect(await start(0)).toBe(201);
  await foldCounts(first(), new Date(day));
  const other = await first().pool.connect();
  try {
    // A start that is being stored, and one that folds.
    await other.query('begin');
    await other.query(`select from verification_counters where subject = $1 for update`, [id]);
    await other.query(
      `insert into verification_start_counts (guard, subject, window_start, count) values ('daily_volume', $1, $2, 1)`,
      [id, day],
    );
    expect([await start(0), await start(1)]).toEqual([201, 201]);
  } finally {
    await other.query('rollback');
    other.release();
  }
});

test('rows are folded when there are many, or by the hourly job, and nothing is counted twice or lost', async () => {
  const { id, start } = await limited(1_203);
  await addRows(id, 1_100);
  expect(await start(0)).toBe(201);
  expect(await entriesOf(id)).toEqual({ rows: 0, folded: 1_101 });
  await Promise.all([foldCounts(first(), new Date(day)), start(0), start(1), foldCounts(first(), new Date(day))]);
  await addRows(id, 98);
  const statuses = [await start(1), await start(0), await start(1)];
  expect(statuses).toEqual([201, 201, 429]);
  await foldCounts(first(), new Date(day));
  expect(await entriesOf(id)).toEqual({ rows: 0, folded: 1_203 });
  await foldCounts(first(), now);
  expect(await entriesOf(id)).toEqual({ rows: 0, folded: 0 });
});
