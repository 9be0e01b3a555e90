/**
 * Values read from the database and kept in memory until any process changes them. While changes cannot be heard
 * nothing is kept, and every read goes to the database.
 */
import QuickLRU from 'quick-lru';
import type { Changes } from './changes.ts';

export interface Kept<V> {
  /** From memory alone; undefined says nothing about the database. */
  peek(id: string): V | undefined;
  /** From memory, or by `load`. */
  read(id: string, load: () => Promise<V>): Promise<V>;
  /** By `load` whatever is in memory, which is replaced. */
  refresh(id: string, load: () => Promise<V>): Promise<V>;
}

interface KeptOptions<V> {
  /** Topic of `Changes` → whether a message about it makes this value out of date. */
  outdatedBy: Readonly<Record<string, (about: string, value: V, id: string) => boolean>>;
  /** Values for which this is false are read each time: what does not exist is not worth memory. */
  worthKeeping?: (value: V) => boolean;
}

const mostKept = 10_000;

export function keepUntilChanged<V>(changes: Changes, { outdatedBy, worthKeeping }: KeptOptions<V>): Kept<V> {
  const kept = new QuickLRU<string, V>({ maxSize: mostKept });
  // A value that was read before a change must not be kept after it.
  let heard = 0;
  for (const [topic, isOutdated] of Object.entries(outdatedBy)) {
    changes.on(topic, (about) => {
      heard += 1;
      for (const [id, value] of kept) if (isOutdated(about, value, id)) kept.delete(id);
    });
  }
  changes.onLost(() => {
    heard += 1;
    kept.clear();
  });
  const refresh: Kept<V>['refresh'] = async (id, load) => {
    const before = heard;
    const value = await load();
    if (changes.connected && heard === before && (worthKeeping?.(value) ?? true)) kept.set(id, value);
    return value;
  };
  return {
    peek: (id) => kept.get(id),
    refresh,
    read: async (id, load) => {
      const known = kept.get(id);
      return known === undefined ? refresh(id, load) : known;
    },
  };
}
