/**
 * Where the thread is that copies, saves and loads worlds: in a clone a TypeScript file, in the package a JavaScript
 * file.
 */
import path from 'node:path';

export const snapshotProgram = path.join(import.meta.dirname, `snapshot.thread${path.extname(import.meta.filename)}`);
