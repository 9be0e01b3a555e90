/** Which worlds there are, and which key belongs to which: kept in memory for the requests that are sorted by it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Changes } from '../../engines/db/changes.ts';
import { keepUntilChanged } from '../../engines/db/kept.ts';
import type { WorldRegistry } from './registry.ts';

type WorldsByKey = ReadonlyMap<string, string>;

/** A key as the registry names it. */
export interface ClaimedKey {
  readonly name: string;
  /**
   * Whether it has the form that only keys of worlds have: then it may be that of a world which this process has not
   * heard of yet.
   */
  readonly mayBeNew: boolean;
}

/**
 * Strangers can send as many unknown ids and keys as they like; together they make the database read this often, and
 * wait for it.
 */
const readEveryMs = 100;

export class KnownWorlds {
  readonly #kept;
  readonly #read: () => Promise<WorldsByKey>;
  readonly #readForUnknown: () => Promise<WorldsByKey>;

  constructor(changes: Changes, registry: Pick<WorldRegistry, 'keys'>) {
    this.#kept = keepUntilChanged<WorldsByKey>(changes, { outdatedBy: { world: () => true, account: () => true } });
    this.#read = () => this.#kept.refresh('all', () => registry.keys());
    this.#readForUnknown = shared(this.#read, readEveryMs);
  }

  /** True if it is known that there is no world. */
  get areNone(): boolean {
    return this.#kept.peek('all')?.size === 0;
  }

  /** For a process that made or ended a world: the next request may come before it has heard of its own change. */
  async readAgain(): Promise<void> {
    await this.#read();
  }

  async has(id: string): Promise<boolean> {
    const isIn = (worlds: WorldsByKey) => new Set(worlds.values()).has(id);
    return isIn(await this.#all()) || isIn(await this.#readForUnknown());
  }

  async ofKey({ name, mayBeNew }: ClaimedKey): Promise<string | null> {
    const known = (await this.#all()).get(name);
    if (known !== undefined || !mayBeNew) return known ?? null;
    return (await this.#readForUnknown()).get(name) ?? null;
  }

  #all(): Promise<WorldsByKey> {
    const kept = this.#kept.peek('all');
    return kept === undefined ? this.#read() : Promise.resolve(kept);
  }
}

/**
 * One read for all who ask at about the same time. Each gets one that began after they asked; between two there is this
 * pause.
 */
function shared<T>(read: () => Promise<T>, everyMs: number): () => Promise<T> {
  let next: Promise<T> | null = null;
  let beganAt = Number.NEGATIVE_INFINITY;
  const begin = async () => {
    await sleep(Math.max(0, beganAt + everyMs - performance.now()));
    beganAt = performance.now();
    next = null;
    return read();
  };
  return () => {
    next ??= begin();
    return next;
  };
}
