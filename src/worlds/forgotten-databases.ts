/** Drops databases that nothing knows of: a process that was killed while it made or ended a world has left them. */
import type { WorldDatabases } from './databases.ts';
import type { WorldRegistry } from './registry.ts';

/**
 * Every row is written before its database is made. So the databases are listed first and the rows afterwards: what is made
 * meanwhile is not in the list. `templates` are the databases of this program's own templates, made or not.
 */
export async function dropForgotten(
  databases: WorldDatabases,
  registry: WorldRegistry,
  templates: readonly string[],
): Promise<void> {
  const [worlds, snapshots, made] = [await databases.ids('w'), await databases.ids('s'), await databases.ids('t')];
  const known = new Set(await registry.allIds());
  // A copy of the sandbox has the id of its world.
  const kept = new Set([...known, ...(await registry.listSnapshots(null)).map(({ id }) => id)]);
  const forgotten = [
    ...worlds.filter((id) => !known.has(id)).map((id) => databases.name('w', id)),
    ...snapshots.filter((id) => !kept.has(id)).map((id) => databases.name('s', id)),
    // Those of another schema. One that is being made has another name, and is dropped by who makes it.
    ...made
      .filter((id) => !id.startsWith('new_'))
      .map((id) => databases.name('t', id))
      .filter((name) => !templates.includes(name)),
  ];
  for (const database of forgotten) await databases.drop(database);
}
