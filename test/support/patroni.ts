/**
 * Three PostgreSQL servers of a test's own that Patroni manages through etcd, set as deploy/patroni/patroni.yml is: it
 * promotes, fences and makes former primaries standbys again.
 */
import type { ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parse } from 'yaml';
import { exists } from '../../src/base/files.ts';
import { freePort } from './datagrams.ts';
import { type PostgresPrograms, postgresPrograms } from './postgres-programs.ts';
import { signalTree } from './process-tree.ts';
import {
  addressOf,
  ask,
  type DatabaseNode,
  nodeNames,
  postmasterOf,
  type ReplicatedDatabase,
  superuser,
  until,
  urlOf,
} from './replicated-database.ts';

const example = path.resolve(import.meta.dirname, '../../deploy/patroni/patroni.yml');

/** Shorter than an operator's, so that a drill does not wait: what newer versions than Debian 12's refuse. */
const quick = { ttl: 7, loop_wait: 1, retry_timeout: 3 };

export async function openPatroniCluster(databases: readonly string[]): Promise<ReplicatedDatabase> {
  for (const program of ['/usr/bin/etcd', '/usr/bin/patroni']) {
    if (!(await exists(program))) throw new Error('This drill needs Patroni and etcd (Debian: patroni, etcd-server).');
  }
  const programs = await postgresPrograms();
  const place = (await exists('/dev/shm')) ? '/dev/shm' : os.tmpdir();
  const folder = await programs.own(await mkdtemp(path.join(place, 'trunkline-patroni-')));
  await chmod(folder, 0o700);
  const store = await startEtcd(programs, folder);
  const nodes: DatabaseNode[] = [];
  for (const name of nodeNames) nodes.push({ name, port: await freePort(), data: path.join(folder, name) });
  const managers = new Map<DatabaseNode, ChildProcess>();
  const manage = (node: DatabaseNode) => {
    const file = path.join(folder, `${node.name}.yml`);
    managers.set(node, programs.start('/usr/bin/patroni', [file], path.join(folder, `${node.name}.log`)));
  };
  const signal: ReplicatedDatabase['signal'] = async (node, name) => {
    // Patroni first when it dies, and last when it wakes up, as the scheduler of a machine might have it.
    const pids = [managers.get(node)?.pid ?? null, await postmasterOf(node)];
    for (const pid of name === 'SIGCONT' ? pids.reverse() : pids) await signalTree(pid, name);
  };

  for (const node of nodes) {
    await configure(node, { folder, etcd: store.port, programs });
    manage(node);
  }
  const first = await primaryAmong(nodes);
  for (const node of nodes) {
    if (node !== first) await until(() => streams(first, node), `${node.name} does not follow ${first.name}`);
  }
  for (const name of databases) await ask(first, `create database ${name}`);

  return {
    // The first is the primary, as it is without Patroni.
    nodes: [first, ...nodes.filter((node) => node !== first)],
    addressOf,
    ask,
    url: (database) => urlOf(nodes, database),
    signal,
    promoteWithout: (former) => primaryAmong(nodes.filter((node) => node !== former)),
    rejoin: async (node) => {
      if (managers.get(node)?.signalCode !== null) manage(node);
      // Patroni may have chosen again meanwhile.
      await until(async () => {
        const present = await primaryAmong(nodes);
        return present !== node && (await streams(present, node));
      }, `${node.name} does not come back`);
    },
    close: async () => {
      for (const node of nodes) await signal(node, 'SIGKILL');
      store.process.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function streams(primary: DatabaseNode, node: DatabaseNode): Promise<boolean> {
  const standbys = `select from pg_stat_replication where application_name = '${node.name}' and state = 'streaming'`;
  return (await ask(primary, standbys)).length > 0;
}

/** The one that takes writes; whoever is asked meanwhile may not answer. */
export async function primaryAmong(nodes: readonly DatabaseNode[]): Promise<DatabaseNode> {
  let primary: DatabaseNode | undefined;
  const isPrimary = async (node: DatabaseNode) => {
    const [row] = await ask<{ yes: boolean }>(node, 'select not pg_is_in_recovery() as yes').catch(() => []);
    return row?.yes === true;
  };
  await until(async () => {
    for (const node of nodes) if (await isPrimary(node)) primary = node;
    return primary !== undefined;
  }, 'Patroni has promoted nobody');
  if (primary === undefined) throw new Error('there is no primary');
  return primary;
}

async function startEtcd(programs: PostgresPrograms, folder: string) {
  const [port, peers] = [await freePort(), await freePort()];
  const [clients, others] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peers}`];
  const process = programs.start(
    '/usr/bin/etcd',
    [
      ...['--name', 'one', '--data-dir', path.join(folder, 'etcd'), '--initial-cluster', `one=${others}`],
      ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
      ...['--listen-peer-urls', others, '--initial-advertise-peer-urls', others],
    ],
    path.join(folder, 'etcd.log'),
  );
  await until(async () => (await fetch(`${clients}/health`)).ok, 'etcd does not answer');
  return { process, port };
}

interface Place {
  folder: string;
  etcd: number;
  programs: PostgresPrograms;
}

/** The example for operators, with the addresses of a test and without waiting for the disk. */
async function configure(node: DatabaseNode, { folder, etcd, programs }: Place): Promise<void> {
  const { bootstrap, postgresql, ...rest } = parse(await readFile(example, 'utf8'));
  const address = (port: number) => ({ listen: `127.0.0.1:${port}`, connect_address: `127.0.0.1:${port}` });
  const trusted = { username: superuser };
  const configuration = {
    ...rest,
    name: node.name,
    etcd3: { hosts: [`127.0.0.1:${etcd}`] },
    restapi: address(await freePort()),
    bootstrap: { ...bootstrap, dcs: { ...bootstrap.dcs, ...quick }, initdb: ['no-sync', { encoding: 'UTF8' }] },
    postgresql: {
      ...postgresql,
      ...address(node.port),
      data_dir: node.data,
      bin_dir: programs.folder,
      pgpass: path.join(folder, `${node.name}.pgpass`),
      authentication: { superuser: trusted, replication: trusted, rewind: trusted },
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      parameters: { unix_socket_directories: '', shared_buffers: '64MB', fsync: 'off' },
    },
  };
  await writeFile(path.join(folder, `${node.name}.yml`), JSON.stringify(configuration));
}
