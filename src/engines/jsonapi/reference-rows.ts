/**
 * Rows of reference data that other documents include (the country of a group), kept in memory. They are compared with
 * the version of the reference data like ready responses, so the first request after a commit sees what was committed,
 * in every process.
 */
import type { Row } from './sql.ts';

/** Rows of all shapes together; when there are more, all are dropped. */
const mostKept = 20_000;

export class ReferenceRows {
  readonly #readVersion: () => Promise<string>;
  readonly #most: number;
  /** By shape, and by the id that they were asked for with. */
  readonly #shapes = new Map<string, Map<string, readonly Row[]>>();
  #version: string | null = null;
  #kept = 0;

  constructor(readVersion: () => Promise<string>, most = mostKept) {
    this.#readVersion = readVersion;
    this.#most = most;
  }

  /** Reads the version for one request; ask for it early, so that it runs beside other statements. */
  async version(): Promise<string> {
    return this.#readVersion();
  }

  /**
   * Rows by their ids, in no particular order; `load` reads those that are not in memory. A shape stands for the type
   * and its columns. The rows are shared: whoever gets one must not change it.
   */
  async read(version: Promise<string>, shape: string, ids: readonly string[], load: LoadRows): Promise<Row[]> {
    const current = await version;
    const { found, missing } = this.#find(current, shape, ids);
    if (missing.length === 0) return found;
    const loaded = await load(missing);
    for (const row of loaded) this.#keep(current, shape, String(row.id), [row]);
    return [...found, ...loaded];
  }

  /**
   * Rows by the id of their owner, which is their column `owner`; those of each owner in the order of `load`, at most
   * `limit` in all.
   */
  async readRelated(
    version: Promise<string>,
    shape: string,
    owners: readonly string[],
    load: LoadRows,
    limit: number,
  ): Promise<Row[]> {
    const current = await version;
    const { found, missing } = this.#find(current, shape, owners);
    if (missing.length === 0) return found;
    const loaded = await load(missing);
    // A result that was cut off may lack rows of any owner.
    if (loaded.length < limit) {
      const byOwner = Map.groupBy(loaded, ({ owner }) => String(owner));
      for (const owner of missing) this.#keep(current, shape, owner, byOwner.get(owner) ?? []);
    }
    return [...found, ...loaded];
  }

  get size(): number {
    return this.#kept;
  }

  #find(version: string, shape: string, ids: readonly string[]): { found: Row[]; missing: string[] } {
    const known = this.#rowsOf(version, shape);
    const found: Row[] = [];
    const missing: string[] = [];
    for (const id of ids) {
      const rows = known.get(id);
      if (rows === undefined) missing.push(id);
      else for (const row of rows) found.push(row);
    }
    return { found, missing };
  }

  /** The version may have changed since it was read: the rows are at least as new as it. */
  #keep(version: string, shape: string, id: string, rows: readonly Row[]): void {
    this.#rowsOf(version, shape).set(id, rows);
    this.#kept += Math.max(1, rows.length);
    if (this.#kept > this.#most) this.#clear();
  }

  #rowsOf(version: string, shape: string): Map<string, readonly Row[]> {
    if (version !== this.#version) this.#clear();
    this.#version = version;
    const known = this.#shapes.get(shape) ?? new Map<string, readonly Row[]>();
    this.#shapes.set(shape, known);
    return known;
  }

  #clear(): void {
    this.#shapes.clear();
    this.#kept = 0;
  }
}

type LoadRows = (ids: readonly string[]) => Promise<Row[]>;
