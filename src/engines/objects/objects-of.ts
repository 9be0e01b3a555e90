/** The object storage of an environment: keys for new objects, the store itself, and the job that deletes. */
import { randomUUID } from 'node:crypto';
import { StorageUnavailable } from '../db/unavailable.ts';
import { handle, type TaskContext } from '../jobs/handler.ts';
import { defineTask } from '../jobs/task.ts';
import { asJobFailure, type ObjectStore } from './object-store.ts';

interface WithObjects {
  /** Null keeps files in the database. */
  readonly objects: ObjectStore | null;
}

/** A key for a new object, or null if files are stored in the database here. Every attempt to write gets its own. */
export function newObjectKey(
  { name, objects }: WithObjects & { readonly name: string },
  kind: 'exports' | 'uploads',
): string | null {
  return objects?.isWritable ? `${name}/${kind}/${randomUUID()}` : null;
}

export function objectsOf({ objects }: WithObjects): ObjectStore {
  if (objects === null)
    throw new StorageUnavailable('this file lies in object storage, and TRUNKLINE_S3_URL is not set');
  return objects;
}

const deleteObjectTask = defineTask<{ key: string }>('objects.delete', { priority: 'background', outward: true });

/** Deletes the object of a file whose record is gone. The database adds the job (`delete_object_nobody_refers_to`). */
export const deleteObject = handle(deleteObjectTask, ({ key }, { env }: TaskContext<WithObjects>) =>
  asJobFailure(() => objectsOf(env).delete(key)),
);
