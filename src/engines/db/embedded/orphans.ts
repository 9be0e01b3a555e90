/**
 * Sessions of a server that was killed compute on until their statement ends, and no other server may start on the
 * cluster until then. On Linux, where they can be told from those of a living server, they are ended as PostgreSQL ends
 * them when one of them crashes: at once, leaving everything to the recovery.
 */
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import type { Cluster } from './cluster.ts';
import { signal } from './signal.ts';

export async function endOrphans(cluster: Cluster): Promise<void> {
  if (process.platform !== 'linux') return;
  const processes = await processesIn(await realpath(cluster.directory));
  // A server has no title of its own, and its sessions have a parent here.
  for (const [pid, { parent, title }] of processes)
    if (title.startsWith('postgres: ') && !processes.has(parent)) signal(pid, 'SIGQUIT');
}

/** The servers and sessions of a cluster: they work in its folder. */
async function processesIn(folder: string): Promise<Map<number, { parent: number; title: string }>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = new Map<number, { parent: number; title: string }>();
  for (const pid of pids) {
    if ((await readlink(`/proc/${pid}/cwd`).catch(() => '')) !== folder) continue;
    const [title, status] = await Promise.all(['cmdline', 'status'].map((file) => contentOf(`/proc/${pid}/${file}`)));
    found.set(Number(pid), { parent: Number(/^PPid:\s+(\d+)/m.exec(status ?? '')?.[1]), title: title ?? '' });
  }
  return found;
}

/** Nothing, if the process has ended. */
const contentOf = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '');
