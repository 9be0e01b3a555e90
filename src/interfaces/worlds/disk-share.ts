/**
 * What the databases of one account take on disk: its worlds, its snapshots, and the clones of those that are kept
 * ready.
 */
import type { WorldDatabases } from './databases.ts';
import type { WorldRegistry } from './registry.ts';
import type { SnapshotRegistry } from './snapshot-registry.ts';

interface ShareParts {
  readonly databases: WorldDatabases;
  readonly worlds: WorldRegistry;
  readonly snapshots: SnapshotRegistry;
}

export async function bytesOf(accountId: string, { databases, worlds, snapshots }: ShareParts): Promise<number> {
  const kept = (await snapshots.idsOf(accountId)).map((id) => databases.name('s', id));
  const own = await worlds.idsOf(accountId, kept);
  // A copy of the sandbox has the id of its world.
  return databases.size([...kept, ...own.flatMap((id) => [databases.name('w', id), databases.name('s', id)])]);
}
