/** Drops databases that nothing knows of: a process that was killed while it made or ended a world has left them. */
import type { WorldDatabases } from './databases.ts';
import type { WorldRegistry } from './registry.ts';
import type { SnapshotRegistry } from './snapshot-registry.ts';
import { isAbandoned, isUnfinished } from './templates.ts';

/**
 * Every row is written before its database is made. So the databases are listed first and the rows afterwards: what is
 * made meanwhile is not in the list. `templates` are the databases of this program's own templates, made or not; one
 * that is being made has another name, and is forgotten after `abandonedMs`.
 */
export async function dropForgotten(
  databases: WorldDatabases,
  { worlds, snapshots }: { worlds: WorldRegistry; snapshots: SnapshotRegistry },
  { templates, abandonedMs }: { templates: readonly string[]; abandonedMs: number },
): Promise<void> {
  const found = { w: await databases.ids('w'), s: await databases.ids('s'), t: await databases.ids('t') };
  const rows = await worlds.all();
  const known = new Set(rows.map(({ id }) => databases.name('w', id)));
  for (const id of await snapshots.allIds()) known.add(databases.name('s', id));
  for (const { id, template } of rows) {
    // A copy of the sandbox has the id of its world.
    known.add(databases.name('s', id));
    // Another program's, which has another schema, is kept while a world can be reset to it.
    known.add(template);
  }
  for (const template of templates) known.add(template);
  const forgotten = (['w', 's', 't'] as const).flatMap((kind) =>
    found[kind]
      .filter((id) => kind !== 't' || !isUnfinished(id) || isAbandoned(id, abandonedMs))
      .map((id) => databases.name(kind, id))
      .filter((name) => !known.has(name)),
  );
  for (const database of forgotten) await databases.drop(database);
}
