/** The options of commands that retry or discard all jobs or callbacks of a time. */
import { OperatorError } from '../../base/operator-error.ts';
import { readMoment } from '../../base/time-text.ts';

export const window = {
  since: { type: 'string', value: 'TIME', summary: 'those of this time or later, such as 2026-06-15T12:00Z' },
  until: { type: 'string', value: 'TIME', summary: 'those of this time or earlier' },
  reason: { type: 'string', value: 'TEXT', summary: 'why; kept in the audit log' },
} as const;

export const reasonNotGiven = 'not given';

export function windowOf({ since, until }: { readonly since?: string; readonly until?: string }) {
  return { since: timeOf('since', since), until: timeOf('until', until) };
}

export function timeOf(name: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = readMoment(text);
  if (time === null) throw new OperatorError(`--${name} must be a time such as 2026-06-15T12:00Z.`);
  return time;
}
