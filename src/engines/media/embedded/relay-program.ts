/** Where the file of a relay thread is: in a clone a TypeScript file, in the package a JavaScript file. */
import path from 'node:path';

export const relayProgram = path.join(import.meta.dirname, `relay.thread${path.extname(import.meta.filename)}`);
