/** Snapshots: named states of a world or of the sandbox, each a database of its own; and the files that carry them to other machines. */
import { randomBytes } from 'node:crypto';
import type { Environment } from '../environment.ts';
import { ServerKey } from '../server-key.ts';
import type { WorldDatabases } from './databases.ts';
import { holdClock } from './hold-clock.ts';
import { loadSnapshotFile } from './load-snapshot.ts';
import type { OpenWorlds, WorldOpener } from './open-worlds.ts';
import { newWorldId, type WorldRegistry } from './registry.ts';
import { saveSnapshotFile } from './save-snapshot.ts';
import type { SnapshotRegistry, SnapshotRow } from './snapshot-registry.ts';
import type { Turns } from './turns.ts';

/** What worlds lend: databases and their rules. */
interface SnapshotParts {
  readonly env: Environment;
  readonly databases: WorldDatabases;
  readonly worlds: WorldRegistry;
  readonly registry: SnapshotRegistry;
  readonly open: OpenWorlds;
  readonly opener: WorldOpener;
  readonly mostBytes: number;
  readonly turns: Turns;
  /** Throws NoRoomForWorld. */
  requireSpace(accountId: string): Promise<void>;
  /** Makes a world that belongs to nobody. */
  clone(template: string): Promise<string>;
  /** Returns the offset of the copy's clock, in milliseconds. */
  copySandboxInto(database: string): Promise<number>;
  end(id: string): Promise<void>;
}

export class Snapshots {
  readonly #parts: SnapshotParts;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  /** Keeps the state of a world, or without one of the sandbox itself. False if the account has one of this name. */
  save(accountId: string, name: string, worldId: string | null): Promise<boolean> {
    const { databases, open, copySandboxInto } = this.#parts;
    return this.#add(accountId, name, async (database) => {
      if (worldId === null) return copySandboxInto(database);
      await open.change(worldId, () => databases.cloneByForce(database, databases.name('w', worldId)));
      return holdClock(databases.url(database));
    });
  }

  /** Makes a snapshot of a file that this program or an older one has saved. False if the account has one of this name. */
  load(accountId: string, name: string, file: Buffer): Promise<boolean> {
    const { databases, opener, mostBytes, env } = this.#parts;
    return this.#add(accountId, name, async (database, id) => {
      await databases.create(database);
      const url = databases.url(database);
      const key = await loadSnapshotFile(url, file, mostBytes);
      const opened = await opener.openEnvironment(id, url);
      try {
        await opener.reseal(opened.env, new ServerKey(...keysOf(env.serverKey), key));
      } finally {
        await opened.close();
      }
      return holdClock(url);
    });
  }

  list(accountId: string): Promise<SnapshotRow[]> {
    return this.#parts.registry.listOf(accountId);
  }

  find(accountId: string, name: string): Promise<SnapshotRow | null> {
    return this.#parts.registry.find(accountId, name);
  }

  /** A snapshot as a file, with its secrets sealed by a key of its own. Null if there is none of this name. */
  async file(accountId: string, name: string): Promise<Buffer | null> {
    const snapshot = await this.find(accountId, name);
    return snapshot === null ? null : this.#parts.turns.take(accountId, () => this.#write(snapshot));
  }

  async #write(snapshot: SnapshotRow): Promise<Buffer> {
    const { databases, open, opener, env, clone, end } = this.#parts;
    const key = randomBytes(32);
    const id = await clone(databases.name('s', snapshot.id));
    try {
      await open.use(id, (world) => opener.reseal(world, new ServerKey(key, ...keysOf(env.serverKey))));
      return await open.change(id, () => saveSnapshotFile(databases.url(databases.name('w', id)), key));
    } finally {
      await end(id);
    }
  }

  /** `needed`: a world was made from it, and can be reset to it. */
  async drop(accountId: string, name: string): Promise<'dropped' | 'missing' | 'needed'> {
    const { databases, worlds, registry, end } = this.#parts;
    const snapshot = await this.find(accountId, name);
    if (snapshot === null) return 'missing';
    const database = databases.name('s', snapshot.id);
    const clones = await worlds.clonesOf(database);
    if (clones.some(({ state }) => state === 'used')) return 'needed';
    for (const { id } of clones) await end(id);
    await databases.drop(database);
    await registry.remove(snapshot.id);
    return 'dropped';
  }

  /** `fill` makes the database, and returns the offset of its clock. */
  #add(accountId: string, name: string, fill: Fill): Promise<boolean> {
    return this.#parts.turns.take(accountId, () => this.#addNow(accountId, name, fill));
  }

  async #addNow(accountId: string, name: string, fill: Fill): Promise<boolean> {
    const { databases, registry, requireSpace } = this.#parts;
    await requireSpace(accountId);
    const id = newWorldId();
    if (!(await registry.begin(id, accountId, name))) return false;
    const database = databases.name('s', id);
    try {
      await registry.complete(id, await fill(database, id));
    } catch (error) {
      await databases.drop(database);
      await registry.remove(id);
      throw error;
    }
    return true;
  }
}

type Fill = (database: string, id: string) => Promise<number>;

function keysOf(serverKey: ServerKey): [Buffer, ...Buffer[]] {
  const [first = '', ...others] = serverKey.reveal().split(',');
  const bytes = (text: string) => Buffer.from(text, 'base64');
  return [bytes(first), ...others.map(bytes)];
}
