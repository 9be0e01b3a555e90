/**
 * What an export covers: its window in time, and the number or trunk it is narrowed to. The form of each filter is
 * declared here and read by the engine's parser; the rule about the window is ours, and so are all texts, which the
 * contract fixes.
 */

import { readMoment } from '../../../base/time-text.ts';
import { type ErrorObject, errors, invalid } from '../../../engines/jsonapi/errors.ts';
import { type Facts, facts, type ObjectType } from '../../../engines/jsonapi/facts.ts';
import { parseValue } from '../../../engines/jsonapi/parse-value.ts';
import type { Row } from '../../../engines/jsonapi/sql.ts';
import type { WindowForm } from '../versions/forms.ts';

const time = (doc: string) =>
  facts('string', {
    write: 'create',
    required: true,
    format: 'YYYY-MM-DD HH:MM:SS',
    doc,
  });

/** The filters of an export. The last three appear only in responses, for exports that older versions requested. */
export const exportFilters = {
  from: time('The first moment, UTC; within this month and the two before. Other forms of ISO 8601 are accepted too.'),
  to: time('The moment it ends before, UTC; likewise.'),
  did_number: facts('string', {
    write: 'create',
    pattern: '^[0-9]{1,20}$',
    names: 'dids',
    doc: 'Only calls to this number; `cdr_in`.',
  }),
  'voice_out_trunk.id': facts('string', {
    write: 'create',
    format: 'uuid',
    names: 'voice_out_trunks',
    doc: 'Only calls of this trunk; `cdr_out`.',
  }),
  year: facts('integer', { doc: 'The year, of an export made under an older version.' }),
  month: facts('integer', { doc: 'The month, likewise.' }),
  day: facts('integer', { doc: 'The day, likewise.' }),
} satisfies ObjectType;

/** The filters of an export, checked. `from` is part of the window, `to` is not. */
export interface ExportFilters {
  from: string;
  to: string;
  did_number?: string;
  'voice_out_trunk.id'?: string;
}

export type ExportType = 'cdr_in' | 'cdr_out';

const ownKeys = { cdr_in: 'did_number', cdr_out: 'voice_out_trunk.id' } as const;
const windowKeys = { moments: ['from', 'to'], calendar: ['year', 'month', 'day'], month: ['year', 'month'] } as const;

/** Returns an error (400) for each key that is unknown for the type. */
export function unknownKeys(form: WindowForm, type: ExportType, filters: Row): ErrorObject[] {
  const known: readonly string[] = [...windowKeys[form], ownKeys[type]];
  return Object.keys(filters)
    .filter((key) => !known.includes(key))
    .map(errors.paramNotAllowed);
}

/** Checks that the window lies within the current and the two previous months, has begun, and ends after it starts. */
export function windowProblems(form: WindowForm, type: ExportType, filters: Row, now: Date): ErrorObject[] {
  const found = form === 'moments' ? momentProblems(filters, now) : calendarProblems(filters, now);
  const own = filters[ownKeys[type]];
  if (own !== undefined && !hasForm(exportFilters[ownKeys[type]], own)) found.push(`${ownKeys[type]} not valid`);
  return found.map((message) => invalid.attribute('filters', message));
}

/**
 * Returns the filters to store: with the keys of the version that requested the export, moments in the contract's form,
 * calendar values as numbers.
 */
export function storedFilters(form: WindowForm, filters: Row): Row {
  if (form !== 'moments') return { ...filters, ...readCalendar(filters) };
  const moments = windowKeys.moments.flatMap((key) => {
    const at = readTime(filters[key]);
    return at === null ? [] : [[key, asText(at)]];
  });
  return { ...filters, ...Object.fromEntries(moments) };
}

/** Returns the window of stored filters, for every version. */
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

/** Whether a filter is a text as declared; a number is none here, unlike in attributes. */
const hasForm = (declared: Facts, value: unknown): value is string =>
  typeof value === 'string' && 'value' in parseValue(declared, value);

/**
 * Reads `YYYY-MM-DD HH:MM:SS` (UTC) or any other form of ISO 8601, to the whole second, as windows are stored and
 * shown. Returns null for anything else, also for a day that does not exist.
 */
function readTime(value: unknown): number | null {
  const at = typeof value === 'string' ? readMoment(value) : null;
  return at === null ? null : at.getTime() - at.getUTCMilliseconds();
}

interface CalendarFilters {
  year: number;
  month: number;
  day?: number;
}

/** Accepts numbers and numbers written as text. Returns null if a part is missing or is not a calendar date. */
function readCalendar({ year, month, day }: Row): CalendarFilters | null {
  const [y, m, d] = [wholeNumber(year), wholeNumber(month), day === undefined ? undefined : wholeNumber(day)];
  if (y === null || m === null || d === null) return null;
  const last = new Date(Date.UTC(y, m, 0)).getUTCDate();
  if (y < 1000 || y > 9998 || m < 1 || m > 12 || (d !== undefined && (d < 1 || d > last))) return null;
  return { year: y, month: m, ...(d === undefined ? {} : { day: d }) };
}

/** Returns the window from the start of the month or day to its end (exclusive), which may be in the future. */
function calendarWindow({ year, month, day }: CalendarFilters): { from: string; to: string } {
  const from = Date.UTC(year, month - 1, day ?? 1);
  const to = day === undefined ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, day + 1);
  return { from: asText(from), to: asText(to) };
}

function wholeNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? value : null;
  return typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : null;
}

const asText = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
