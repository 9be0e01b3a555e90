/** Requests to a type in an older version: what they write is written by the newest one, and its errors are theirs. */
import { ApiError } from './errors.ts';
import type { Resource, WriteInput } from './resource.ts';
import type { Row } from './sql.ts';

export const newestOf = (resource: Resource): Resource => resource.older?.newest ?? resource;

/** What a request sent, as the newest version would have been sent it. */
export const inNewest = ({ older }: Resource, input: WriteInput, operation: 'create' | 'update'): WriteInput =>
  older ? older.input(input, operation) : input;

/** A row with the columns of the newest version, as the version of the type reads it. */
export const asRead = ({ older }: Resource, row: Row): Row => (older ? older.row(row) : row);

/** Runs what speaks the newest version; its errors get the words of the type's version. */
export async function inOwnWords<T>({ older }: Resource, run: () => Promise<T>): Promise<T> {
  if (!older) return run();
  try {
    return await run();
  } catch (error) {
    throw error instanceof ApiError ? new ApiError(error.errors.map(older.problem), error.headers) : error;
  }
}
