/**
 * Conditions of docs/alerts.md that only processes can get into, and what its page says to do: the metric of each alert
 * tells of it, and tells when it is over.
 */

import pg from 'pg';
import { expect, test } from 'vitest';
import { createBench } from './support/boot.ts';
import type { Trunkline } from './support/trunkline.ts';

const bench = createBench();
const patience = { timeout: 120_000, interval: 200 };

async function metric(process: Trunkline, name: string): Promise<number | null> {
  const { sandbox } = (await process.ready()).environments;
  const text = await fetch(`${sandbox?.url}/metrics`).then(
    (response) => response.text(),
    () => '',
  );
  const value = new RegExp(`^trunkline_${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined ? null : Number(value);
}

test('no worker, no partitions ahead, and a port that does not answer: each is told, and mended as the page says', async () => {
  const databases = await bench.migratedDatabases();
  const variables = {
    ...databases,
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 3).toString('base64'),
  };
  const client = new pg.Client({ connectionString: databases.SANDBOX_DATABASE_URL });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'cdrs_in'::regclass`,
  );
  for (const { name } of rows) await client.query(`drop table ${name}`);
  await client.end();
  const api = await bench.start('api', { ...variables, TRUNKLINE_ROLES: 'api' });
  const ahead = () => metric(api, 'partitions_ahead\\{table="cdrs_in"[^}]*\\}');
  const pools = () => metric(api, 'worker_pools');
  await expect.poll(pools, patience).toBe(0);
  await expect.poll(ahead, patience).toBeLessThan(1);

  const work = () => bench.start('worker', { ...variables, TRUNKLINE_ROLES: 'worker' });
  const worker = await work();
  await expect.poll(pools, patience).toBeGreaterThan(0);
  await expect.poll(ahead, patience).toBe(2);
  await expect.poll(() => metric(worker, 'worker_alive'), patience).toBe(1);

  await worker.stop('SIGKILL');
  await expect.poll(() => metric(worker, 'worker_alive'), patience).toBeNull();
  await expect.poll(pools, patience).toBe(0);
  const next = await work();
  await expect.poll(() => metric(next, 'worker_alive'), patience).toBe(1);
  await expect.poll(pools, patience).toBeGreaterThan(0);
});
