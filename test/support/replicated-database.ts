/**
 * Three PostgreSQL servers of a test's own, one primary and two standbys that replicate it as docs/high-availability.md
 * says, and what happens to them: killed, paused, promoted by hand, made again as a standby.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { exists } from '../../src/base/files.ts';
import { freePort } from './datagrams.ts';
import { type PostgresPrograms, postgresPrograms } from './postgres-programs.ts';
import { signalTree } from './process-tree.ts';

export interface DatabaseNode {
  readonly name: string;
  readonly port: number;
  readonly data: string;
}

export interface ReplicatedDatabase {
  readonly nodes: readonly DatabaseNode[];
  /** All three, of which the one that takes writes is asked for. */
  url(database: string): string;
  addressOf(node: DatabaseNode, database: string): string;
  ask<Row extends pg.QueryResultRow>(node: DatabaseNode, statement: string, database?: string): Promise<Row[]>;
  /** All processes of a server at once, as when its machine dies, sleeps or wakes up. */
  signal(node: DatabaseNode, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Another server becomes the primary, as the manual says. Returns it. */
  promoteWithout(former: DatabaseNode): Promise<DatabaseNode>;
  /** A former primary begins anew as a copy of the present one. */
  rejoin(node: DatabaseNode, primary: DatabaseNode): Promise<void>;
  close(): Promise<void>;
}

export const superuser = 'trunkline';
export const nodeNames = ['a', 'b', 'c'];

export const addressOf: ReplicatedDatabase['addressOf'] = (node, database) =>
  `postgres://${superuser}@127.0.0.1:${node.port}/${database}`;

export const urlOf = (nodes: readonly DatabaseNode[], database: string): string => {
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return `postgres://${superuser}@${hosts}/${database}?target_session_attrs=read-write`;
};

export const ask: ReplicatedDatabase['ask'] = async <Row extends pg.QueryResultRow>(
  node: DatabaseNode,
  statement: string,
  database = 'postgres',
) => {
  const client = new pg.Client({ connectionString: addressOf(node, database), connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
};

export async function openReplicatedDatabase(databases: readonly string[]): Promise<ReplicatedDatabase> {
  const programs = await postgresPrograms();
  const place = (await exists('/dev/shm')) ? '/dev/shm' : os.tmpdir();
  const folder = await programs.own(await mkdtemp(path.join(place, 'trunkline-replicas-')));
  await chmod(folder, 0o700);
  const nodes: DatabaseNode[] = [];
  for (const name of nodeNames) nodes.push({ name, port: await freePort(), data: path.join(folder, name) });
  const [first] = nodes;
  if (first === undefined) throw new Error('there are no servers');

  const cluster = { folder, programs, nodes, ask };

  await programs.run(
    'initdb',
    '-D',
    first.data,
    '-U',
    superuser,
    '-A',
    'trust',
    '-N',
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
  );
  await boot(cluster, first);
  for (const database of databases) await ask(first, `create database ${database}`);
  const standbys = nodes.filter((node) => node !== first);
  await Promise.all(standbys.map((node) => copy(cluster, node, first)));
  await ask(first, `alter system set synchronous_standby_names = '${synchronousFor(nodes, first)}'`);
  await ask(first, 'select pg_reload_conf()');
  for (const node of standbys) await streams(cluster, node, first);

  return {
    nodes,
    addressOf,
    ask,
    url: (database) => urlOf(nodes, database),
    signal: async (node, signal) => signalTree(await postmasterOf(node), signal),
    promoteWithout: (former) => promote(cluster, former),
    rejoin: async (node, primary) => {
      await signalTree(await postmasterOf(node), 'SIGKILL');
      await rm(node.data, { recursive: true, force: true });
      await copy(cluster, node, primary);
      await streams(cluster, node, primary);
    },
    close: async () => {
      for (const node of nodes) await signalTree(await postmasterOf(node), 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Cluster {
  folder: string;
  programs: PostgresPrograms;
  nodes: readonly DatabaseNode[];
  ask: ReplicatedDatabase['ask'];
}

/** A commit is acknowledged when one of the others has it. */
const synchronousFor = (nodes: readonly DatabaseNode[], primary: DatabaseNode): string =>
  `ANY 1 (${nodes.flatMap(({ name }) => (name === primary.name ? [] : [name])).join(', ')})`;

async function boot({ folder, programs }: Cluster, node: DatabaseNode): Promise<void> {
  const settings = {
    port: node.port,
    listen_addresses: '127.0.0.1',
    // Whoever adopts processes that were killed may be slow to bury them, and a socket's lock file names one.
    unix_socket_directories: '',
    wal_level: 'replica',
    hot_standby: 'on',
    wal_keep_size: '256MB',
    wal_retrieve_retry_interval: '200ms',
    synchronous_commit: 'on',
    shared_buffers: '64MB',
    fsync: 'off',
    cluster_name: node.name,
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}='${value}'`);
  const log = path.join(folder, `${node.name}.log`);
  const started = programs.run(
    'pg_ctl',
    'start',
    '-D',
    node.data,
    '-w',
    '-t',
    '120',
    '-l',
    log,
    '-o',
    options.join(' '),
  );
  await started.catch(async () => {
    throw new Error(`${node.name} did not start: ${(await readFile(log, 'utf8')).slice(-2_000)}`);
  });
}

/** Its name is what the primary knows it by. */
const connectionTo = (primary: DatabaseNode, node: DatabaseNode): string =>
  `host=127.0.0.1 port=${primary.port} user=${superuser} application_name=${node.name}`;

async function copy(cluster: Cluster, node: DatabaseNode, primary: DatabaseNode): Promise<void> {
  const { nodes, programs } = cluster;
  const source = connectionTo(primary, node);
  await programs.run('pg_basebackup', '-D', node.data, '-d', source, '-c', 'fast', '-X', 'stream', '--no-sync');
  await writeFile(
    path.join(node.data, 'postgresql.auto.conf'),
    `primary_conninfo = '${source}'\nsynchronous_standby_names = '${synchronousFor(nodes, node)}'\n`,
  );
  await writeFile(path.join(node.data, 'standby.signal'), '');
  await boot(cluster, node);
}

/** Waits until a standby receives what the primary writes. */
async function streams({ ask }: Cluster, node: DatabaseNode, primary: DatabaseNode): Promise<void> {
  const question = `select from pg_stat_replication where application_name = '${node.name}' and state = 'streaming'`;
  await until(async () => (await ask(primary, question)).length > 0, `${node.name} does not follow ${primary.name}`);
}

/**
 * First nobody receives from the former primary any more, so that it can acknowledge nothing; then the one that has
 * received most, and so everything that was acknowledged, is promoted, and the other follows it.
 */
async function promote(cluster: Cluster, former: DatabaseNode): Promise<DatabaseNode> {
  const { ask, nodes } = cluster;
  const living = nodes.filter((node) => node !== former);
  const received: { node: DatabaseNode; bytes: number }[] = [];
  for (const node of living) {
    await ask(node, `alter system set primary_conninfo = ''`);
    await ask(node, 'select pg_reload_conf()');
    await until(
      async () => (await ask(node, 'select from pg_stat_wal_receiver')).length === 0,
      `${node.name} still receives`,
    );
    const [row] = await ask<{ bytes: string }>(
      node,
      `select greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0'::pg_lsn as bytes`,
    );
    received.push({ node, bytes: Number(row?.bytes) });
  }
  const chosen = received.reduce((one, other) => (other.bytes > one.bytes ? other : one)).node;
  await ask(chosen, 'select pg_promote(true, 60)');
  for (const node of living) {
    if (node === chosen) continue;
    await ask(node, `alter system set primary_conninfo = '${connectionTo(chosen, node)}'`);
    await ask(node, 'select pg_reload_conf()');
    await streams(cluster, node, chosen);
  }
  return chosen;
}

const patienceMs = 60_000;

export async function until(condition: () => Promise<boolean>, otherwise: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await condition().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(otherwise);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function postmasterOf({ data }: DatabaseNode): Promise<number | null> {
  const text = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  return Number(text.split('\n')[0]) || null;
}
