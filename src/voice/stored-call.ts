/** The JSON form of a call in `open_calls.call`, from which any process can end it. */
import type { Call } from './call.ts';
import { readMoment } from './moment.ts';

export function storedCall(call: Call, streams: readonly string[]): string {
  return JSON.stringify({ ...call, streams });
}

/** Reads back what `storedCall` wrote for a call of the same direction. */
export function readCall<C extends Call>(stored: unknown): { call: C; streams: string[] } {
  if (typeof stored !== 'object' || stored === null || !('attempts' in stored)) throw new Error('not a stored call');
  // Has the type of the call, except that its times are text.
  const call = stored as C & { streams: string[] };
  const times = {
    timeStart: momentOf(call.timeStart),
    timeConnect: call.timeConnect && momentOf(call.timeConnect),
    timeEnd: call.timeEnd && momentOf(call.timeEnd),
    attempts: call.attempts.map((attempt) => ({
      ...attempt,
      startedAt: momentOf(attempt.startedAt),
      endedAt: attempt.endedAt && momentOf(attempt.endedAt),
    })),
  };
  return { streams: call.streams, call: Object.assign(call, times) };
}

const momentOf = (text: unknown): Date => readMoment(String(text));
