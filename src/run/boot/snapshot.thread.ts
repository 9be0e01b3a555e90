/**
 * Copies, saves and loads databases in a thread of its own (worlds/snapshot-thread.ts): the rows of many tables, and
 * files of strangers, pass through it and not through the thread that serves requests and calls. Here and not in its
 * room, because what a file has brought is checked by the declarations of every room.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { ServerKey } from '../../base/server-key.ts';
import { copyDatabase } from '../../interfaces/worlds/copy-database.ts';
import { type Loading, loadSnapshotFile } from '../../interfaces/worlds/load-snapshot.ts';
import { saveSnapshotFile } from '../../interfaces/worlds/save-snapshot.ts';
import { BadSnapshotFile } from '../../interfaces/worlds/snapshot-format.ts';
import type { ThreadOutcome, ThreadWork } from '../../interfaces/worlds/snapshot-thread.ts';

const work: ThreadWork = workerData;

async function run(): Promise<void> {
  switch (work.kind) {
    case 'copy':
      return copyDatabase(work);
    case 'save':
      return saveSnapshotFile({ ...work, serverKey: serverKeyOf(work.keys) }, write);
    case 'load':
      return load({ ...work, serverKey: serverKeyOf(work.keys) });
  }
}

/** What checks is loaded while the rows come; saving and copying need none of it. */
async function load(loading: Loading): Promise<void> {
  const [{ completeLoaded }] = await Promise.all([
    import('./loaded-rows.ts'),
    loadSnapshotFile(loading, process.stdin),
  ]);
  const problem = await completeLoaded(loading);
  if (problem !== null) throw new BadSnapshotFile(`The file has rows that cannot be: ${problem}`);
}

function serverKeyOf(keys: string): ServerKey {
  const [first = '', ...others] = keys.split(',');
  const bytes = (text: string) => Buffer.from(text, 'base64');
  return new ServerKey(bytes(first), ...others.map(bytes));
}

/** Resolves when the other thread wants more. */
function write(chunk: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}

async function outcome(): Promise<ThreadOutcome> {
  try {
    await run();
    return { error: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof Error && 'code' in error ? String(error.code) : null;
    return { error: message, code, isBadFile: error instanceof BadSnapshotFile };
  }
}

parentPort?.postMessage(await outcome());
// What is left of its input is of no interest.
process.stdin.destroy();
