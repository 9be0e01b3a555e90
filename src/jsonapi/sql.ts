/** Collects the parameters of one statement; `add` answers the placeholder. */
export class Params {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

export type Row = Record<string, unknown>;

/** Runs one statement. The platform decides on which pool, and whether it is prepared. */
export type RunQuery = (text: string, values: unknown[]) => Promise<Row[]>;

/** `and`-joins what is there; an empty list is no condition at all. */
export const allConditions = (conditions: readonly string[]): string =>
  conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
