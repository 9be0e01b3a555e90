/** Collects the parameters of one statement; `add` answers the placeholder. */
export class Params {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

export type Row = Record<string, unknown>;

/** Runs one statement. `planned: 'anew'` is for statements whose best plan depends on the values. */
export type RunQuery = (text: string, values: unknown[], planned?: 'once' | 'anew') => Promise<Row[]>;

/** `and`-joins what is there; an empty list is no condition at all. */
export const allConditions = (conditions: readonly string[]): string =>
  conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';
