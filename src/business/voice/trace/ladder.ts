/** A trace as a ladder of text: the caller's leg on the left, this server in the middle, the attempts on the right. */
import type { MessageEntry, TraceEntry } from './entries.ts';
import { firstLineOf } from './entries.ts';

/** Seconds since `start`, with milliseconds. */
const offsetText = (start: Date, at: string): string =>
  `${((new Date(at).getTime() - start.getTime()) / 1000).toFixed(3).padStart(9)} s`;

/** One line for each entry. */
export function ladderLine(entry: TraceEntry): string {
  if (entry.kind === 'reason') return `      ·  ${entry.text}`;
  const arrow = entry.way === 'in' ? '──▶' : '◀──';
  const shown = firstLineOf(entry.text)
    .replace(/ ?SIP\/2\.0 ?/, ' ')
    .trim();
  if (entry.leg === 0) return `A ${arrow} │         ${shown}  (${peerOf(entry)})`;
  const away = entry.way === 'in' ? '◀──' : '──▶';
  return `      │ ${away} ${legName(entry.leg)}  ${shown}  (${peerOf(entry)})`;
}

/** A is the caller; B, C … are the attempts in their order. */
export const legName = (leg: number): string => (leg < 26 ? String.fromCharCode(65 + leg) : `#${leg}`);

const peerOf = ({ transport, peer }: MessageEntry): string => (transport === 'UDP' ? peer : `${transport} ${peer}`);

export function ladder(start: Date, entries: readonly TraceEntry[]): string[] {
  return entries.map((entry) => `${offsetText(start, entry.at)}  ${ladderLine(entry)}`);
}

/** Every message in full, each with a line before it that says when and which way it went. */
export function messagesInFull(start: Date, entries: readonly TraceEntry[]): string[] {
  return entries.flatMap((entry) => {
    if (entry.kind === 'reason') return [];
    const [from, to] = entry.way === 'in' ? [entry.peer, entry.local] : [entry.local, entry.peer];
    const heading = `──${offsetText(start, entry.at)}  leg ${legName(entry.leg)}, ${entry.transport} ${from} ▶ ${to}`;
    return ['', heading, ...entry.text.trimEnd().split(/\r?\n/)];
  });
}
