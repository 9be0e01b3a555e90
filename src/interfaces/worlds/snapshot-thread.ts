/**
 * Starts the thread that copies, saves and loads (boot/snapshot.thread.ts), and ends it when it takes too long or too
 * much memory.
 */
import type { Readable } from 'node:stream';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import type { ServerKey } from '../../base/server-key.ts';
import type { Copy } from './copy-database.ts';
import { asCannotClone, CannotClone } from './databases.ts';
import { NoRoomForWorld } from './limits.ts';
import type { Loading } from './load-snapshot.ts';
import type { Saving } from './save-snapshot.ts';
import { BadSnapshotFile } from './snapshot-format.ts';

/** What crosses to the other thread: data only, so the server key goes as its text. */
export type ThreadWork =
  | ({ kind: 'copy' } & Copy)
  | ({ kind: 'save'; keys: string } & Omit<Saving, 'serverKey'>)
  | ({ kind: 'load'; keys: string } & Omit<Loading, 'serverKey'>);

export type ThreadOutcome = { error: null } | { error: string; code: string | null; isBadFile: boolean };

/** Rows are passed on as they come, so it needs little; a file that wants more is refused. */
const memory = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 };

interface RunningThread {
  /** What it writes: the file. Destroyed if the thread fails. */
  readonly output: Readable;
  readonly done: Promise<void>;
}

interface ThreadOptions {
  /** The file that the thread runs. */
  readonly program: string;
  readonly patienceMs: number;
  /** What it reads: the file. */
  readonly input?: Readable;
  readonly mostInputBytes?: number;
}

export const keysFor = (serverKey: ServerKey): string => serverKey.reveal();

export function startThread(
  work: ThreadWork,
  { program, patienceMs, input, mostInputBytes = Number.POSITIVE_INFINITY }: ThreadOptions,
): RunningThread {
  const worker = new Worker(program, {
    workerData: work,
    stdin: input !== undefined,
    stdout: true,
    resourceLimits: memory,
    execArgv: [],
  });
  const ended = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new NoRoomForWorld(`It took longer than ${Math.round(patienceMs / 1000)} seconds and was given up.`));
      void worker.terminate();
    }, patienceMs).unref();
    worker.once('message', (outcome: ThreadOutcome) => (outcome.error === null ? resolve() : reject(errorOf(outcome))));
    worker.once('error', (error) => reject(isOutOfMemory(error) ? tooMuch(work) : error));
    worker.once('exit', () => {
      clearTimeout(late);
      reject(new Error('the thread ended before its work'));
    });
    if (input !== undefined) feed(worker, input, mostInputBytes).catch(reject);
  });
  const done = ended.finally(() => input?.destroy());
  // Whoever reads the file sees it cut off; nobody reads anything else.
  worker.stdout.on('error', () => undefined);
  done.catch((error: Error) => worker.stdout.destroy(error));
  if (work.kind !== 'save') worker.stdout.resume();
  return { output: worker.stdout, done: done.finally(() => worker.terminate().then(() => undefined)) };
}

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** Rows are passed on one after another, so a file that needs more has rows that no program has saved. */
const tooMuch = ({ kind }: ThreadWork): Error =>
  kind === 'load'
    ? new BadSnapshotFile('The file needs more memory than a file may.')
    : new CannotClone('The copy needs more memory than there is for one.');

/** A file that cannot be sent on is the client's business only if it is too long. */
async function feed(worker: Worker, input: Readable, mostBytes: number): Promise<void> {
  const { stdin } = worker;
  if (stdin === null) return;
  let bytes = 0;
  for await (const chunk of input) {
    bytes += chunk.length;
    if (bytes > mostBytes) {
      throw new BadSnapshotFile(`The file has more than ${Math.floor(mostBytes / 2 ** 20)} MiB.`);
    }
    if (stdin.destroyed) return;
    await new Promise<void>((sent) => void stdin.write(chunk, () => sent()));
  }
  stdin.end();
}

function errorOf({ error, code, isBadFile }: Extract<ThreadOutcome, { error: string }>): unknown {
  if (isBadFile) return new BadSnapshotFile(error);
  if (code === null || !/^[0-9A-Z]{5}$/.test(code)) return new Error(error);
  const refused = new pg.DatabaseError(error, error.length, 'error');
  refused.code = code;
  return asCannotClone(refused);
}
