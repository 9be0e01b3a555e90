/** Reads that may be some seconds old, with a real standby that lags, and dies. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseNode, openReplicatedDatabase, type ReplicatedDatabase } from '../support/replicated-database.ts';
import { startTrunkline, type Trunkline } from '../support/trunkline.ts';

const keys = { operator: 'the key of an operator', customer: 'the key of a customer' };

let folder: string;
let database: ReplicatedDatabase;
let standby: DatabaseNode;
let server: Trunkline;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'trunkline-replicas-'));
  database = await openReplicatedDatabase(['trunkline']);
  const [primary, one] = database.nodes;
  if (primary === undefined || one === undefined) throw new Error('there are no servers');
  standby = one;
  // So that the log of each server says what it was asked.
  await database.ask(primary, `alter database trunkline set log_statement = 'all'`);
  const bootstrap = path.join(folder, 'bootstrap.json');
  const operators = [
    {
      email: 'ops@acme.test',
      password: 'long enough to be one',
      role: 'owner',
      api_keys: [{ name: 'ci', key: keys.operator }],
    },
  ];
  const accounts = [{ name: 'Acme', balance: '100', api_keys: [{ name: 'ci', key: keys.customer }] }];
  await writeFile(bootstrap, JSON.stringify({ sandbox: { operators, accounts } }));
  server = startTrunkline(folder, {
    TRUNKLINE_PORT: 'off',
    TRUNKLINE_SANDBOX_SIP_PORT: 'off',
    SANDBOX_DATABASE_URL: database.url('trunkline'),
    SANDBOX_DATABASE_REPLICA_URL: database.addressOf(standby, 'trunkline'),
    TRUNKLINE_REPLICA_LAG: '3',
    TRUNKLINE_BOOTSTRAP: bootstrap,
    TRUNKLINE_SERVER_KEY: Buffer.alloc(32, 7).toString('base64'),
    TRUNKLINE_LOG_LEVEL: 'warn',
  });
  url = (await server.ready()).environments.sandbox?.url ?? '';
});
afterAll(async () => {
  await server?.stop('SIGKILL');
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

/** The age that a response names, null without one. */
async function ageOf(place: string, key = keys.operator): Promise<string | null> {
  const response = await fetch(`${url}${place}`, { headers: { 'api-key': key } });
  expect(response.status).toBe(200);
  const body = await response.text();
  if (place.endsWith('ledger_entries')) expect(JSON.parse(body).data.length).toBeGreaterThan(0);
  return response.headers.get('x-data-age');
}
const isFromStandby = async () => /^[1-4]$/.test((await ageOf('/operator/v1/ledger_entries')) ?? '');
const saidTo = ({ data, name }: DatabaseNode) => readFile(path.join(path.dirname(data), `${name}.log`), 'utf8');

test('history is read from a standby and says its age; what may be changed, and customers’ own reads, are not', async () => {
  await expect.poll(isFromStandby).toBe(true);
  expect(await saidTo(standby)).toContain('ledger_entries');
  for (const place of ['accounts', 'jobs', 'operators', 'audit_entries']) {
    expect([place, await ageOf(`/operator/v1/${place}`)]).toEqual([place, null]);
  }
  expect(await ageOf('/v3/balance', keys.customer)).toBeNull();
});

test('the file of an export is made of what a standby has', async () => {
  await expect.poll(isFromStandby).toBe(true);
  const now = new Date();
  const at = (time: Date) => time.toISOString().slice(0, 19).replace('T', ' ');
  const filters = { from: at(new Date(now.getTime() - 3_600_000)), to: at(now) };
  const attempt = async () => {
    const response = await fetch(`${url}/v3/exports`, {
      method: 'POST',
      headers: { 'api-key': keys.customer, 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'exports', attributes: { export_type: 'cdr_in', filters } } }),
    });
    expect(response.status).toBe(201);
    return (await saidTo(standby)).includes('copy (select');
  };
  // One whose row the standby does not have yet is made from the primary.
  await expect.poll(attempt).toBe(true);
});

test('a standby that lags is left until it has caught up, one that dies at once', async () => {
  await expect.poll(isFromStandby).toBe(true);
  await database.ask(standby, 'select pg_wal_replay_pause()');
  await expect.poll(isFromStandby).toBe(false);
  expect(await ageOf('/operator/v1/ledger_entries')).toBeNull();
  await database.ask(standby, 'select pg_wal_replay_resume()');
  await expect.poll(isFromStandby).toBe(true);
  await database.signal(standby, 'SIGKILL');
  // The response is complete whatever its first statement met.
  await ageOf('/operator/v1/ledger_entries');
  expect(await ageOf('/operator/v1/ledger_entries')).toBeNull();
});
