/** A call as `open_calls.call` keeps it: JSON with times as text. Any process can end a call from it. */
import type { Call } from './call.ts';
import { readMoment } from './moment.ts';

export function storedCall(call: Call, streams: readonly string[]): string {
  return JSON.stringify({ ...call, streams });
}

/** Reads back what `storedCall` wrote for a call of the same direction. */
export function readCall<C extends Call>(stored: unknown): { call: C; streams: string[] } {
  if (typeof stored !== 'object' || stored === null || !('attempts' in stored)) throw new Error('not a stored call');
  // Of the call's own type, but for its times, which JSON holds as text.
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
