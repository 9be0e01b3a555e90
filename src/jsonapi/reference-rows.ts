/**
 * Rows of reference data that other documents include (the country of a group), kept in memory. They are compared with the version
 * of the reference data like ready responses, so the first request after a commit sees what was committed, in every process.
 */
import type { Row } from './sql.ts';

/** Rows of all shapes together; when there are more, all are dropped. */
const mostKept = 20_000;

export class ReferenceRows {
  readonly #readVersion: () => Promise<string>;
  readonly #most: number;
  readonly #shapes = new Map<string, Map<string, Row>>();
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
   * Rows by their ids, in no particular order; `load` reads those that are not in memory. A shape stands for the type and its
   * columns. The rows are shared: whoever gets one must not change it.
   */
  async read(
    version: Promise<string>,
    shape: string,
    ids: readonly string[],
    load: (ids: readonly string[]) => Promise<Row[]>,
  ): Promise<Row[]> {
    const current = await version;
    const known = this.#rowsOf(current, shape);
    const found: Row[] = [];
    const missing: string[] = [];
    for (const id of ids) {
      const row = known.get(id);
      if (row) found.push(row);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    const loaded = await load(missing);
    // The version may have changed meanwhile: these rows are at least as new as the one that was read before them.
    const kept = this.#rowsOf(current, shape);
    for (const row of loaded) {
      kept.set(String(row.id), row);
      this.#kept += 1;
    }
    if (this.#kept > this.#most) this.#clear();
    return [...found, ...loaded];
  }

  get size(): number {
    return this.#kept;
  }

  #rowsOf(version: string, shape: string): Map<string, Row> {
    if (version !== this.#version) this.#clear();
    this.#version = version;
    const known = this.#shapes.get(shape) ?? new Map<string, Row>();
    this.#shapes.set(shape, known);
    return known;
  }

  #clear(): void {
    this.#shapes.clear();
    this.#kept = 0;
  }
}
