/** The window of an export that was requested by year, month and perhaps day, as versions before 2026-04-16 do. */
import type { Row } from '../../jsonapi/sql.ts';

export interface CalendarFilters {
  year: number;
  month: number;
  day?: number;
}

/** Clients send numbers and numbers in text; null when a part is missing or not in the calendar. */
export function readCalendar({ year, month, day }: Row): CalendarFilters | null {
  const [y, m, d] = [wholeNumber(year), wholeNumber(month), day === undefined ? undefined : wholeNumber(day)];
  if (y === null || m === null || d === null) return null;
  const last = new Date(Date.UTC(y, m, 0)).getUTCDate();
  if (y < 1000 || y > 9998 || m < 1 || m > 12 || (d !== undefined && (d < 1 || d > last))) return null;
  return { year: y, month: m, ...(d === undefined ? {} : { day: d }) };
}

/** From the start of the month or day to its end, which is not part of it; the end may lie in the future. */
export function calendarWindow({ year, month, day }: CalendarFilters): { from: string; to: string } {
  const from = Date.UTC(year, month - 1, day ?? 1);
  const to = day === undefined ? Date.UTC(year, month, 1) : Date.UTC(year, month - 1, day + 1);
  return { from: asText(from), to: asText(to) };
}

function wholeNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isInteger(value) ? value : null;
  return typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : null;
}

const asText = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ');
