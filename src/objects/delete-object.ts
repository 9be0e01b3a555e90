/** Deletes the objects of files whose records are gone. The database adds the job (migration 0520). */
import { handle } from '../jobs/handler.ts';
import { defineTask } from '../jobs/task.ts';
import { asJobFailure } from './object-store.ts';
import { objectsOf } from './objects-of.ts';

const deleteObjectTask = defineTask<{ key: string }>('objects.delete', { priority: 'background', outward: true });

export const deleteObject = handle(deleteObjectTask, ({ key }, { env }) =>
  asJobFailure(() => objectsOf(env).delete(key)),
);
