/**
 * Where the bytes of large files lie when they are not in the database: objects that are written once, read in ranges
 * and deleted. The record of a file keeps the key of its object; without a key the bytes are in the database.
 */
import { StorageUnavailable } from '../db/unavailable.ts';

export interface ObjectStore {
  /** False where objects belong to another environment: those of the sandbox in a world that was cloned from it. */
  readonly isWritable: boolean;
  write(key: string): ObjectWriter;
  /** `first` and `last` are bytes, both included. Throws before the first byte if the store does not respond. */
  read(key: string, first: number, last: number): Promise<AsyncIterable<Buffer>>;
  /** An object that is not there counts as deleted. */
  delete(key: string): Promise<void>;
}

/** The object is there once `finish` resolved, with all bytes; before that, nobody can read it. */
export interface ObjectWriter {
  write(bytes: Buffer): Promise<void>;
  finish(): Promise<void>;
  /** Forgets what was written so far. Does not throw: what is left is deleted with the record of the file. */
  abort(): Promise<void>;
}

/**
 * For worlds: they may read what the sandbox stored before they were cloned, and keep their own files in their
 * database.
 */
export function readOnlyStore(store: ObjectStore): ObjectStore {
  return { ...store, isWritable: false, read: (...range) => store.read(...range), delete: () => Promise.resolve() };
}

/**
 * Runs the work of a job. For requests a store that fails is an outage (503); a job waits longer after each attempt, as
 * after any failure, instead of running again at once as it would if the database had been away.
 */
export async function asJobFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StorageUnavailable ? new Error(error.message, { cause: error }) : error;
  }
}
