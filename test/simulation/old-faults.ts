/**
 * Faults that this project has had and mended, each as the change that brings it back, for the proof that the
 * simulation finds them: `npm run simulate -- --old-faults`. The change is made to the text of one module as it is
 * loaded, and fails where that text is no longer there.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';

interface OldFault {
  readonly name: string;
  /** What went wrong, and which commit has mended it. */
  readonly about: string;
  readonly file: string;
  readonly mended: string;
  readonly broken: string;
  /** A seed that finds it, and the promise that it finds broken. */
  readonly seed: number;
  readonly promise: string;
  /** Whether nearly every seed finds it within minutes, so that the suite has time for it. */
  readonly isQuick: boolean;
}

export const oldFaults: readonly OldFault[] = [
  {
    name: 'growing-callbacks',
    about: 'A change of a trunk joined a callback that was being sent, or had been: it grew, or was lost (5b4d42cb).',
    file: 'src/business/callbacks/batches.ts',
    mended: 'newest === undefined || newest.sending || newest.attempts > 0 ||',
    broken: 'newest === undefined ||',
    seed: 1,
    promise: 'each change of a trunk is told once and in order',
    isQuick: false,
  },
  {
    name: 'answered-without-answer',
    about: 'A call that was ended elsewhere at the moment of its answer had a CDR without it (912e91b7).',
    file: 'src/business/voice/end-call.ts',
    mended: 'and o.xmin::text = coalesce((select g.version from given g where g.id = o.id), o.xmin::text)',
    broken: '',
    seed: 1,
    promise: 'an answered call has its answer in the CDR',
    isQuick: false,
  },
  {
    name: 'calls-outlive-processes',
    about: 'A call was charged past the last sign of life of the process that carried it (83c60b02).',
    file: 'src/business/voice/worker-lease.ts',
    mended: 'ending(call) ?? { disconnect: lost, at: lastSignOfLife(call, seenAt) }',
    broken: 'ending(call) ?? { disconnect: lost, at: env.clock.now() }',
    seed: 1,
    promise: 'no call outlives the process that carries it',
    isQuick: true,
  },
  {
    name: 'jobs-of-the-dead',
    about: 'Jobs that a killed process had taken waited for hours, so orders and callbacks did (b31d6103).',
    file: 'src/engines/jobs/liveness.ts',
    mended: 'update jobs set locked_by = null where locked_by in (select locked_by from dead)',
    broken: 'update jobs set locked_by = null where false',
    seed: 1,
    promise: 'no job is left behind',
    isQuick: true,
  },
  {
    name: 'workers-that-give-up',
    about: 'A worker whose look for jobs failed with its database never looked again (7354bccd).',
    file: 'src/engines/jobs/worker.ts',
    mended: `.finally(() => {
        this.#taking = null;
        if`,
    broken: `.finally(() => {
        if (!this.#isFailing) this.#taking = null;
        if`,
    seed: 1,
    promise: 'no job is left behind',
    isQuick: false,
  },
];

const root = path.resolve(import.meta.dirname, '../..');

/** Before anything is loaded that the fault is in. */
export function bringBack(fault: OldFault): void {
  changed(fault);
  registerHooks({
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.endsWith(`/${fault.file}`) || loaded.source === undefined || loaded.source === null) return loaded;
      return { ...loaded, source: changed(fault) };
    },
  });
}

function changed({ name, file, mended, broken }: OldFault): string {
  const text = readFileSync(path.join(root, file), 'utf8');
  if (text.split(mended).length !== 2) throw new Error(`${file} has changed: the old fault ${name} needs another text`);
  return text.replace(mended, () => broken);
}
