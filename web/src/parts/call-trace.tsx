/**
 * What a call's trace says: the SIP messages of both legs and the reasons of decisions, as steps of a ladder. Traces
 * are kept for some days; simulated calls have reasons only.
 */

import { type Related, relatedMany } from '../api/documents.ts';
import { useFallback } from '../api/live.ts';
import { useRead } from '../api/queries.ts';
import { pathWith, type RecordOf } from '../api/routes.ts';
import type { Step } from './ladder.tsx';

type Entry = Related<RecordOf<'/panel/v1/call_traces'>, 'entries'>['attributes'];

interface CallTrace {
  steps: Step[];
  /** Whether there are SIP messages, and not only reasons. */
  hasMessages: boolean;
  dropped: number;
}

/** Undefined while it is read, null if there is no trace any more. */
export function useCallTrace(callId: string): CallTrace | null | undefined {
  const read = useRead(
    pathWith('/panel/v1/call_traces', { 'filter[call_id]': callId, include: 'entries' }),
    useFallback(3_000),
  );
  if (read.data === undefined) return undefined;
  const [trace] = read.data.data;
  if (trace === undefined) return null;
  const entries = relatedMany(read.data, trace, 'entries').map(({ attributes }) => attributes);
  const start = Date.parse(trace.attributes.started_at);
  return {
    steps: entries.map((entry) => stepOf(entry, start)),
    hasMessages: entries.some(({ kind }) => kind === 'message'),
    dropped: trace.attributes.dropped,
  };
}

function stepOf(entry: Entry, start: number): Step {
  const at = `+${((Date.parse(entry.at) - start) / 1000).toFixed(3)} s`;
  if (entry.kind === 'reason') return { note: (entry.text ?? '').trim(), at };
  const line = entry.first_line ?? '';
  const outer = entry.leg === 0 ? 0 : 2;
  const [from, to] = entry.way === 'in' ? [outer, 1] : [1, outer];
  return {
    arrow: { from, to, text: shortName(line), bad: /^SIP\/2\.0 [4-6]/.test(line) },
    note: [line, entry.peer && `${entry.transport ?? ''} ${entry.peer}`].filter(Boolean).join(' · '),
    at,
    ...(entry.text === null ? {} : { detail: entry.text }),
  };
}

/** `INVITE sip:… SIP/2.0` is "INVITE", `SIP/2.0 180 Ringing` is "180". */
const shortName = (firstLine: string): string => {
  const [first = '', second = ''] = firstLine.split(' ');
  return first.startsWith('SIP/') ? second : first;
};
