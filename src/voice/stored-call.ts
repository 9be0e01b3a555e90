/** A call as `open_calls.call` keeps it: JSON, with times as text. Any process can end a call from it. */
import type { Attempt, InboundCall } from './call.ts';
import { readMoment } from './moment.ts';

export function storedCall(call: InboundCall, streams: readonly string[]): string {
  return JSON.stringify({ ...call, streams });
}

export function readCall(stored: unknown): { call: InboundCall; streams: string[] } {
  if (typeof stored !== 'object' || stored === null || !('attempts' in stored)) throw new Error('not a stored call');
  const { streams, ...call } = stored as StoredCall;
  return {
    streams,
    call: {
      ...call,
      timeStart: readMoment(call.timeStart),
      timeConnect: dateOrNull(call.timeConnect),
      timeEnd: dateOrNull(call.timeEnd),
      attempts: call.attempts.map((attempt) => ({
        ...attempt,
        startedAt: readMoment(attempt.startedAt),
        endedAt: dateOrNull(attempt.endedAt),
      })),
    },
  };
}

type Timeless<T, K extends keyof T> = Omit<T, K> & Record<K, string | null>;

interface StoredCall extends Omit<InboundCall, 'timeStart' | 'timeConnect' | 'timeEnd' | 'attempts'> {
  timeStart: string;
  timeConnect: string | null;
  timeEnd: string | null;
  attempts: (Timeless<Omit<Attempt, 'startedAt'>, 'endedAt'> & { startedAt: string })[];
  streams: string[];
}

const dateOrNull = (text: string | null): Date | null => (text === null ? null : readMoment(text));
