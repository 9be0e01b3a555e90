/** What an export covers: its window in time, and the number or trunk it is narrowed to. */
import { type ErrorObject, errors, invalid } from '../../jsonapi/errors.ts';
import type { Row } from '../../jsonapi/sql.ts';
import { isUuid } from '../../uuid.ts';
import type { WindowForm } from '../versions/2026-04-16.forms.ts';
import { calendarWindow, readCalendar } from './calendar-window.ts';

/** The filters of an export, checked. `from` is part of the window, `to` is not. */
export interface ExportFilters {
  from: string;
  to: string;
  did_number?: string;
  'voice_out_trunk.id'?: string;
}

export type ExportType = 'cdr_in' | 'cdr_out';

const OWN_KEY = { cdr_in: 'did_number', cdr_out: 'voice_out_trunk.id' } as const;
const WINDOW_KEYS = { moments: ['from', 'to'], calendar: ['year', 'month', 'day'] } as const;

/** Keys that the type does not know (400). */
export function unknownKeys(form: WindowForm, type: ExportType, filters: Row): ErrorObject[] {
  const known: readonly string[] = [...WINDOW_KEYS[form], OWN_KEY[type]];
  return Object.keys(filters)
    .filter((key) => !known.includes(key))
    .map(errors.paramNotAllowed);
}

/** The window within the current and the two previous months, in order, and begun already. */
export function windowProblems(form: WindowForm, type: ExportType, filters: Row, now: Date): ErrorObject[] {
  const found = form === 'calendar' ? calendarProblems(filters, now) : momentProblems(filters, now);
  const own = filters[OWN_KEY[type]];
  if (own !== undefined && !isOwnValue(type, own)) found.push(`${OWN_KEY[type]} not valid`);
  return found.map((message) => invalid.attribute('filters', message));
}

/** What is stored: the keys of the version that made the export, the calendar's as numbers. */
export function storedFilters(form: WindowForm, filters: Row): Row {
  return form === 'calendar' ? { ...filters, ...readCalendar(filters) } : filters;
}

/** The window of stored filters, whichever version made them. */
export function windowOf(stored: Row): ExportFilters {
  const calendar = readCalendar(stored);
  return { from: '', to: '', ...stored, ...(calendar ? calendarWindow(calendar) : {}) };
}

function momentProblems(filters: Row, now: Date): string[] {
  const [from, to] = [readTime(filters.from), readTime(filters.to)];
  const problem = (name: string, at: number | null): string[] => {
    if (at === null || at > now.getTime()) return [`${name} not valid`];
    return at < earliest(now) ? [tooOld(name)] : [];
  };
  const found = [...problem('from', from), ...problem('to', to)];
  return found.length === 0 && from !== null && to !== null && from >= to ? ['from not valid'] : found;
}

function calendarProblems(filters: Row, now: Date): string[] {
  const { year, month } = filters;
  const calendar = readCalendar(filters);
  const name = filters.day === undefined || !readCalendar({ year, month }) ? 'month' : 'day';
  const from = calendar ? readTime(calendarWindow(calendar).from) : null;
  if (from === null || from > now.getTime()) return [`${name} not valid`];
  return from < earliest(now) ? [tooOld(name)] : [];
}

const earliest = (now: Date): number => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1);
const tooOld = (name: string): string => `${name} must be within the current and 2 previous months`;

const isOwnValue = (type: ExportType, value: unknown): boolean =>
  typeof value === 'string' && (type === 'cdr_in' ? /^[0-9]{1,20}$/.test(value) : isUuid(value));

/** `YYYY-MM-DD HH:MM:SS`, UTC; a day that does not exist is none. */
function readTime(value: unknown): number | null {
  const text = typeof value === 'string' && /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(value) ? value : null;
  const at = text === null ? null : new Date(`${text.replace(' ', 'T')}Z`);
  if (at === null || text === null || Number.isNaN(at.getTime())) return null;
  return at.toISOString().slice(0, 19) === text.replace(' ', 'T') ? at.getTime() : null;
}
