/**
 * The parts of a statement: its parameters, its conditions, and the condition that keeps it within the tenant. The
 * tenant is the rows of one account, or those of every account (an operator's); a statement about an account-owned type
 * cannot be built without one of the two.
 */

/** Collects the parameters of one statement; `add` returns the placeholder. */
export class Params {
  readonly values: unknown[] = [];

  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

export type Row = Record<string, unknown>;

/** Runs one statement. The product decides on which connection, and whether it is prepared. */
export type RunQuery = (text: string, values: unknown[]) => Promise<Row[]>;

/** The value of a text that the database sent for a column of this type. */
export type ParseText = (type: number, text: string) => unknown;

/** Reads rows without parsing them: every value is the database's own text, or null. */
export interface RunText {
  query: RunQuery;
  /**
   * The same for a statement that many clients ask for at once, such as a singleton of their account: those that wait
   * together share a run that began after each of them had asked. `key` says what is the same; without it the text and
   * its values. Nobody may change the rows.
   */
  shared(text: string, values: unknown[], key?: string): Promise<Row[]>;
  /** Column → the number of its type, for a statement that is not worth running. */
  describe(text: string, values: unknown[]): Promise<Record<string, number>>;
  parse: ParseText;
}

/** The WHERE clause of these conditions; empty without any. */
export const allConditions = (conditions: readonly string[]): string =>
  conditions.length > 0 ? ` where ${conditions.join(' and ')}` : '';

/** What PostgreSQL expects of an array that it does not know. */
const expectedIds = 10;

/**
 * Ids for `= any($1)`. For a few PostgreSQL would plan the prepared statement anew each time, since a plan for ten
 * looks dearer; planning takes longer than reading. An id that is there several times is looked up once.
 */
export const manyIds = (ids: readonly string[]): readonly string[] =>
  ids.length === 0 || ids.length >= expectedIds
    ? ids
    : Array.from({ length: expectedIds }, (_, index) => ids[index] ?? ids[0] ?? '');

export type Tenant = { readonly accountId: string } | 'every account';

interface WithTenant {
  readonly tenant: Tenant | null;
}

/** The condition that keeps a statement within the tenant; null when it reaches every account. */
export function tenantCondition({ tenant }: WithTenant, accountColumn: string, params: Params): string | null {
  if (tenant === null) throw new Error(`${accountColumn} names an account, and this request has none`);
  return tenant === 'every account' ? null : `${accountColumn} = ${params.add(tenant.accountId)}`;
}

/** The account that a new record belongs to. */
export function accountIdOf({ tenant }: WithTenant): string {
  if (tenant === null || tenant === 'every account') throw new Error('this operation runs within one account');
  return tenant.accountId;
}
