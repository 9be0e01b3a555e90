/** Messages of the database: heard in order, and again after a lost connection. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createProcesses, type Processes } from '../../../test/support/processes.ts';
import type { Environment } from '../environment.ts';

let processes: Processes;
let env: Environment;
beforeEach(async () => {
  processes = await createProcesses();
  env = await processes.start('production');
});
afterEach(() => processes.close());

const tell = (message: string) => env.pool.query(`select pg_notify('trunkline', $1)`, [message]);

const breakConnection = async () => {
  const lost = new Promise<void>((resolve) => {
    env.changes.onLost(resolve);
  });
  await env.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'trunkline changes' and datname = current_database()`,
  );
  await lost;
};

it('hears what is told about its topics, in order, until it is told to stop', async () => {
  const heard: string[] = [];
  const stop = env.changes.on('numbers', (about) => heard.push(about));
  for (const message of ['numbers 1', 'letters a', 'numbers 2 and more', 'numbers']) await tell(message);
  await expect.poll(() => heard).toEqual(['1', '2 and more', '']);
  stop();
  const after: string[] = [];
  env.changes.on('numbers', (about) => after.push(about));
  await tell('numbers 3');
  await expect.poll(() => after).toEqual(['3']);
  expect(heard).toHaveLength(3);
});

it('says when it is deaf, connects again, and does again what belongs to a connection', async () => {
  let connections = 0;
  await env.changes.onConnected(async () => {
    connections += 1;
  });
  expect([env.changes.connected, connections]).toEqual([true, 1]);
  await breakConnection();
  expect(env.changes.connected).toBe(false);
  await expect.poll(() => env.changes.connected).toBe(true);
  expect(connections).toBe(2);
  const heard: string[] = [];
  env.changes.on('numbers', (about) => heard.push(about));
  await tell('numbers 1');
  await expect.poll(() => heard).toEqual(['1']);
});

it('stays closed', async () => {
  await env.changes.close();
  expect(env.changes.connected).toBe(false);
  await env.changes.withClient(async () => {
    throw new Error('there is no connection');
  });
});
