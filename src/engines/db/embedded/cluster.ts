/** The folder in which PostgreSQL keeps its data, created on the first start, and the user it runs as. */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exists, readOrCreate } from '../../../base/files.ts';
import { OperatorError } from '../../../base/operator-error.ts';
import { type Binaries, findBinaries, program } from './binaries.ts';
import { clusterPrefix, noteDataFolder } from './forsaken-clusters.ts';

export interface Cluster {
  readonly binaries: Binaries;
  readonly identity: Identity | null;
  /** Owned by the identity; holds the cluster itself and the server's log. */
  readonly home: string;
  readonly directory: string;
  readonly log: string;
  readonly password: string;
}

/** The superuser inside the cluster, whatever the operating system's user is called. */
export const superuser = 'trunkline';

/** Where a root Trunkline keeps what the unprivileged user could not reach in the data folder (docs/operations.md). */
export const sharedRoot = '/var/lib/trunkline';

interface ClusterMaking {
  readonly onProgram?: () => void;
  readonly signal?: AbortSignal;
}

export async function prepareCluster(
  dataDirectory: string,
  durable: boolean,
  making: ClusterMaking = {},
): Promise<Cluster> {
  const { home, identity } = await findHome(dataDirectory);
  const cluster: Cluster = {
    binaries: await reachableBinaries(await findBinaries(), identity),
    identity,
    home,
    directory: path.join(home, 'cluster'),
    log: path.join(home, 'postgres.log'),
    password: await readPassword(dataDirectory),
  };
  await initialise(cluster, durable, making);
  return cluster;
}

/** Whether a cluster was made for this data folder. Makes nothing. */
export async function hasCluster(dataDirectory: string): Promise<boolean> {
  const { known, usual } = await homesOf(dataDirectory);
  return exists(path.join(known || usual, 'cluster', 'PG_VERSION'));
}

/** The usual place in the data folder, and the place that was noted there when it had to be another. */
async function homesOf(dataDirectory: string): Promise<{ usual: string; pointer: string; known: string }> {
  const pointer = path.join(dataDirectory, 'postgres.location');
  const known = (await readFile(pointer, 'utf8').catch(() => '')).trim();
  return { usual: path.join(dataDirectory, 'postgres'), pointer, known };
}

/**
 * In the data folder, unless the cluster's user cannot come there: then beside the shared copies, with a pointer left.
 */
async function findHome(dataDirectory: string): Promise<{ home: string; identity: Identity | null }> {
  const { usual, pointer, known } = await homesOf(dataDirectory);
  const made = await makeHome(known || usual);
  if (canReach(made.identity, made.home)) return made;
  if (known !== '') throw new OperatorError(`The embedded database in ${known} cannot be reached by its own user.`);
  await rm(usual, { recursive: true });
  await makeSharedRoot();
  const elsewhere = path.join(sharedRoot, `${clusterPrefix}${randomBytes(8).toString('hex')}`);
  const home = await makeHome(await readOrCreate(pointer, () => elsewhere));
  await noteDataFolder(home.home, dataDirectory);
  return home;
}

async function makeHome(home: string): Promise<{ home: string; identity: Identity | null }> {
  const identity = await chooseIdentity(path.join(home, 'cluster'));
  await mkdir(home, { recursive: true, mode: 0o700 });
  if (identity !== null) await chown(home, identity.uid, identity.gid);
  return { home, identity };
}

async function makeSharedRoot(): Promise<void> {
  await mkdir(sharedRoot, { recursive: true });
  await chmod(sharedRoot, 0o755);
}

async function reachableBinaries(binaries: Binaries, identity: Identity | null): Promise<Binaries> {
  if (canReach(identity, binaries.root)) return binaries;
  const copy = path.join(sharedRoot, `postgres-${binaries.version}-${process.arch}`);
  if (!(await exists(copy))) {
    const partial = `${copy}.${process.pid}`;
    await makeSharedRoot();
    await cp(binaries.root, partial, { recursive: true, verbatimSymlinks: true });
    await putInPlace(partial, copy);
  }
  return { ...binaries, root: copy };
}

/** Used over TCP only, where Unix sockets cannot be had; the socket's folder is its own protection. */
function readPassword(dataDirectory: string): Promise<string> {
  return readOrCreate(path.join(dataDirectory, 'postgres.password'), () => randomBytes(24).toString('base64url'));
}

/** Made beside its place and renamed, so that a start that was killed half-way leaves nothing that looks finished. */
async function initialise(cluster: Cluster, durable: boolean, { onProgram, signal }: ClusterMaking): Promise<void> {
  if (await exists(path.join(cluster.directory, 'PG_VERSION'))) return;
  signal?.throwIfAborted();
  await requireRoom(cluster.home);
  const partial = path.join(cluster.home, `new-${randomBytes(4).toString('hex')}`);
  const passwordFile = `${partial}.password`;
  await writeFile(passwordFile, cluster.password, { mode: 0o600 });
  if (cluster.identity !== null) await chown(passwordFile, cluster.identity.uid, cluster.identity.gid);
  try {
    const made = run(cluster, 'initdb', signal, [
      '--pgdata',
      partial,
      '--username',
      superuser,
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--auth-local=trust',
      '--auth-host=scram-sha-256',
      `--pwfile=${passwordFile}`,
      ...(durable ? [] : ['--no-sync']),
    ]);
    onProgram?.();
    await made;
    await putInPlace(partial, cluster.directory);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw signal?.aborted ? signal.reason : error;
  } finally {
    await rm(passwordFile, { force: true });
  }
}

/** What a first start with the demo catalogue takes, and as much again to work with. */
const neededBytes = 256 * 2 ** 20;

/** A disk that fills up in the middle of a first start would leave a database that can never start. */
async function requireRoom(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const mebibytes = (bytes: number) => Math.floor(bytes / 2 ** 20);
  if (bavail * bsize >= neededBytes) return;
  throw new OperatorError(
    `The disk of ${folder} has ${mebibytes(bavail * bsize)} MiB left, and a new database needs ${mebibytes(neededBytes)} MiB; make room, or name another data folder with --data or TRUNKLINE_DATA.`,
  );
}

/** Runs one of the PostgreSQL programs to its end, as the cluster's user. */
export async function run(
  cluster: Cluster,
  name: 'initdb' | 'pg_ctl',
  signal: AbortSignal | undefined,
  args: string[],
): Promise<void> {
  const child = spawn(program(cluster.binaries, name), args, {
    cwd: cluster.home,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LC_ALL: 'C' },
    ...(signal === undefined ? {} : { signal }),
    ...cluster.identity,
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  if (code !== 0) {
    throw new OperatorError(`The embedded PostgreSQL's ${name} failed: ${output.trim().replaceAll(/\s*\n\s*/g, ' ')}`);
  }
}

/** Of several processes that make the same folder at once the first wins; the others take what is there. */
async function putInPlace(made: string, place: string): Promise<void> {
  await rename(made, place).catch(async (error: NodeJS.ErrnoException) => {
    await rm(made, { recursive: true, force: true });
    if (!(await exists(place))) throw error;
  });
}

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** Who runs the programs: null means we ourselves. A cluster that exists keeps its owner. */
async function chooseIdentity(cluster: string): Promise<Identity | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(cluster).catch(() => null);
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  for (const name of ['postgres', '_postgres', 'nobody']) {
    const fields = users
      .split('\n')
      .find((line) => line.startsWith(`${name}:`))
      ?.split(':');
    const uid = Number(fields?.[2]);
    const gid = Number(fields?.[3]);
    if (uid > 0 && gid > 0) return { uid, gid };
  }
  return { uid: 65534, gid: 65534 };
}

/** Whether that user can come to the folder at all; a home such as /root (0700) stops it on the way. */
function canReach(identity: Identity | null, directory: string): boolean {
  if (identity === null) return true;
  const probe = spawnSync('/bin/sh', ['-c', 'cd "$1" && ls . >/dev/null', 'sh', directory], {
    cwd: '/',
    stdio: 'ignore',
    ...identity,
  });
  return probe.status === 0;
}
