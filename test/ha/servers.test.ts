/** Connections to several servers: they go to the one that takes writes, whatever happens to it. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Changes } from '../../src/engines/db/changes.ts';
import { createPool } from '../../src/engines/db/pool.ts';
import { isUnavailable } from '../../src/engines/db/unavailable.ts';
import { silentLog } from '../support/environment.ts';
import { type DatabaseNode, openReplicatedDatabase, type ReplicatedDatabase } from '../support/replicated-database.ts';

const patience = { timeout: 60_000, interval: 50 };

let database: ReplicatedDatabase;
let pool: ReturnType<typeof createPool>;
let changes: Changes;
let primary: DatabaseNode;
const heard: string[] = [];

beforeAll(async () => {
  database = await openReplicatedDatabase(['trunkline']);
  const [first] = database.nodes;
  if (first === undefined) throw new Error('there are no servers');
  primary = first;
  // The first of the list is a standby.
  pool = createPool(severalUrl([...database.nodes].reverse()), { max: 5 });
  changes = await Changes.open(pool, silentLog);
  changes.on('greeting', (what) => heard.push(what));
  await pool.query('create table notes (id bigint generated always as identity, text text not null)');
});
afterAll(async () => {
  await changes?.close();
  await pool?.end();
  await database?.close();
});

function severalUrl(nodes: readonly DatabaseNode[]): string {
  const ports = nodes.map(({ port }) => port).join(',');
  const hosts = nodes.map(() => '127.0.0.1').join(',');
  return `postgres://trunkline@127.0.0.1/trunkline?host=${hosts}&port=${ports}&target_session_attrs=read-write`;
}

const note = (text: string) =>
  pool
    .query<{ id: number }>('insert into notes (text) values ($1) returning id', [text])
    .then(({ rows }) => rows[0]?.id);

/** Each of these says that the client may try again; nobody is told that something is broken. */
async function noteSoon(text: string): Promise<number> {
  return vi.waitFor(async () => {
    const id = await note(text).catch((error: unknown) => {
      expect(isUnavailable(error)).toBe(true);
      throw error;
    });
    return id ?? 0;
  }, patience);
}

async function hears(text: string): Promise<void> {
  await vi.waitFor(async () => {
    await pool.query('select pg_notify($1, $2)', ['trunkline', `greeting ${text}`]);
    expect(heard).toContain(text);
  }, patience);
}

const whereTo = async () => (await pool.query<{ port: number }>('select inet_server_port() as port')).rows[0]?.port;

async function worksOn(node: DatabaseNode, text: string): Promise<void> {
  // Often enough to be prepared on the new connections, too.
  for (let n = 0; n < 4; n++) await noteSoon(text);
  await hears(text);
  expect(await whereTo()).toBe(node.port);
  expect(changes.connected).toBe(true);
}

test('it finds the primary, wherever it stands in the list', () => worksOn(primary, 'first'));

test('a commit that stops waiting for a standby is not acknowledged', async () => {
  const wait = async (names: string) => {
    await database.ask(primary, `alter system set synchronous_standby_names = '${names}'`);
    await database.ask(primary, 'select pg_reload_conf()');
  };
  const [former] = await database.ask<{ names: string }>(
    primary,
    `select current_setting('synchronous_standby_names') as names`,
  );
  await wait('nobody');
  const lonely = note('lonely').catch((error: unknown) => [isUnavailable(error), String(error)]);
  const cancel = `select pg_cancel_backend(pid) as cancelled from pg_stat_activity where wait_event = 'SyncRep'`;
  await expect.poll(() => database.ask(primary, cancel), patience).toEqual([{ cancelled: true }]);
  expect(await lonely).toEqual([true, expect.stringContaining('no standby has confirmed a commit')]);
  await wait(former?.names ?? '');
  await worksOn(primary, 'confirmed again');
});

test('the primary is killed: without one the answer comes at once, and the next one is found', async () => {
  const last = await noteSoon('before');
  await database.signal(primary, 'SIGKILL');
  await expect.poll(() => note('nowhere').catch((error: Error) => error.name), patience).toBe('NoPrimary');
  await expect(note('nowhere')).rejects.toThrow(/none of its servers takes writes \(.*read-only/);
  const former = primary;
  primary = await database.promoteWithout(former);
  await worksOn(primary, 'after');
  expect(await noteSoon('sequences go on')).toBeGreaterThan(last);
  await database.rejoin(former, primary);
});

test('the primary hangs and comes back: what waits on it fails, and it is never asked again', async () => {
  const former = primary;
  await noteSoon('before');
  await database.signal(former, 'SIGSTOP');
  const stuck = note('stuck').catch((error: unknown) => isUnavailable(error));
  primary = await database.promoteWithout(former);
  expect(await stuck).toBe(true);
  await worksOn(primary, 'after it hung');
  await database.signal(former, 'SIGCONT');
  // It believes that it is the primary, and answers.
  await expect
    .poll(() => database.ask(former, 'select pg_is_in_recovery() as standby'), patience)
    .toEqual([{ standby: false }]);
  await worksOn(primary, 'after it came back');
  expect(await pool.query(`select from notes where text = 'stuck'`)).toMatchObject({ rowCount: 0 });
  await database.rejoin(former, primary);
});
