/** PostgreSQL refuses to run as root, so a root Trunkline lends it a user without privileges. */
import { spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';

export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** Who runs the programs: null means we ourselves. A cluster that exists keeps its owner. */
export async function chooseIdentity(cluster: string): Promise<Identity | null> {
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
export function canReach(identity: Identity | null, directory: string): boolean {
  if (identity === null) return true;
  const probe = spawnSync('/bin/sh', ['-c', 'cd "$1" && ls . >/dev/null', 'sh', directory], {
    cwd: '/',
    stdio: 'ignore',
    ...identity,
  });
  return probe.status === 0;
}
