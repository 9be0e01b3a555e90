/**
 * Snapshots: named states of a world or of an account in the sandbox, each a database of its own; and the files that
 * carry them to other machines.
 */
import type { Readable } from 'node:stream';
import type { Environment } from '../../engines/environment.ts';
import type { WorldDatabases } from './databases.ts';
import { holdClock } from './hold-clock.ts';
import type { OpenWorlds, WorldOpener } from './open-worlds.ts';
import { newWorldId, type WorldRegistry, type WorldRow } from './registry.ts';
import type { CopySandbox } from './sandbox-copier.ts';
import type { SnapshotRegistry, SnapshotRow } from './snapshot-registry.ts';
import { keysFor, startThread } from './snapshot-thread.ts';
import { Turns } from './turns.ts';

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
  /** The database of the newest schema. */
  emptyTemplate(): Promise<string>;
  /** Makes a world that belongs to nobody. */
  clone(template: string): Promise<string>;
  readonly copySandboxInto: CopySandbox;
  end(id: string): Promise<void>;
}

/** A snapshot that holds every account has no file. */
export class WholeSnapshot extends Error {}

/** What one file may cost. A snapshot of the demo catalogue has three megabytes, which are thirty unzipped. */
const fileLimits = {
  bytes: 64 * 2 ** 20,
  unzippedBytes: 512 * 2 ** 20,
  lineBytes: 4 * 2 ** 20,
  lines: 2_000_000,
  patienceMs: 120_000,
} as const;

/** Files are few at a time: each keeps a thread and a database busy for seconds. */
const fileTurns = { together: 2, ofOneAccount: 1, mostWaiting: 4 };

export class Snapshots {
  readonly #parts: SnapshotParts;
  readonly #fileTurns = new Turns(fileTurns);

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  /**
   * Keeps the state of a world, or without one that of the account in the sandbox. False if the account has one of this
   * name.
   */
  save(accountId: string, name: string, world: Pick<WorldRow, 'id' | 'whole'> | null): Promise<boolean> {
    const { databases, open, copySandboxInto } = this.#parts;
    return this.#add(accountId, name, world?.whole ?? false, async (database) => {
      if (world === null) return copySandboxInto(database, { accountId, whole: false });
      await open.change(world.id, () => databases.cloneByForce(database, databases.name('w', world.id)));
      return holdClock(databases.url(database));
    });
  }

  /** An operator's act: keeps the state of all accounts of the sandbox, for one of them. */
  saveWhole(accountId: string, name: string): Promise<boolean> {
    return this.#add(accountId, name, true, (database) =>
      this.#parts.copySandboxInto(database, { accountId, whole: true }),
    );
  }

  /**
   * Makes a snapshot of a file that this program or an older one has saved. False if the account has one of this name.
   */
  load(accountId: string, name: string, file: Readable, passphrase: string | null): Promise<boolean> {
    return this.#fileTurns.take(accountId, () =>
      this.#add(accountId, name, false, (database) => this.#fill(database, file, passphrase)),
    );
  }

  async #fill(database: string, file: Readable, passphrase: string | null): Promise<number> {
    const { databases, opener, mostBytes, env, emptyTemplate } = this.#parts;
    await databases.create(database, await emptyTemplate());
    const url = databases.url(database);
    const { lineBytes, lines, patienceMs, unzippedBytes } = fileLimits;
    const limits = { bytes: Math.min(unzippedBytes, mostBytes), lineBytes, lines };
    const { sealed, threadProgram: program } = opener;
    const work = { kind: 'load', url, keys: keysFor(env.serverKey), sealed, passphrase, limits, patienceMs } as const;
    await startThread(work, { program, patienceMs, input: file, mostInputBytes: fileLimits.bytes }).done;
    return holdClock(url);
  }

  list(accountId: string): Promise<SnapshotRow[]> {
    return this.#parts.registry.listOf(accountId);
  }

  find(accountId: string, name: string): Promise<SnapshotRow | null> {
    return this.#parts.registry.find(accountId, name);
  }

  /**
   * A snapshot as a file, whose secrets stay behind or are sealed with the passphrase. Null if there is none of this
   * name. A file that cannot be written to its end is cut off.
   */
  async file(accountId: string, name: string, passphrase: string | null): Promise<Readable | null> {
    const snapshot = await this.find(accountId, name);
    if (snapshot === null) return null;
    if (snapshot.whole) {
      throw new WholeSnapshot('This snapshot holds every account of the sandbox, so there is no file of it.');
    }
    const begun = Promise.withResolvers<Readable>();
    this.#fileTurns.take(accountId, () => this.#write(snapshot, passphrase, begun.resolve)).catch(begun.reject);
    return begun.promise;
  }

  /** Resolves when all of it was read. */
  async #write(snapshot: SnapshotRow, passphrase: string | null, begun: (file: Readable) => void): Promise<void> {
    const { databases, opener, env, clone, end } = this.#parts;
    // Not from the snapshot itself: while somebody is connected to it no world can be made of it.
    const id = await clone(databases.name('s', snapshot.id));
    try {
      const url = databases.url(databases.name('w', id));
      const work = { kind: 'save', url, keys: keysFor(env.serverKey), sealed: opener.sealed, passphrase } as const;
      const { output, done } = startThread(work, { program: opener.threadProgram, patienceMs: fileLimits.patienceMs });
      begun(output);
      await done;
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
  #add(accountId: string, name: string, whole: boolean, fill: Fill): Promise<boolean> {
    return this.#parts.turns.take(accountId, () => this.#addNow({ accountId, name, whole }, fill));
  }

  async #addNow(wanted: Pick<SnapshotRow, 'name' | 'whole'> & { accountId: string }, fill: Fill): Promise<boolean> {
    const { databases, registry, requireSpace } = this.#parts;
    await requireSpace(wanted.accountId);
    const id = newWorldId();
    if (!(await registry.begin(id, wanted))) return false;
    const database = databases.name('s', id);
    try {
      await registry.complete(id, await fill(database));
    } catch (error) {
      await databases.drop(database);
      await registry.remove(id);
      throw error;
    }
    return true;
  }
}

type Fill = (database: string) => Promise<number>;
