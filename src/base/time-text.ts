/** Moments as clients write them: ISO 8601, down to nanoseconds, which are cut to milliseconds. */

const form = /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * A date alone is its first instant, a time without an offset is UTC. Null for any other text, and for years that
 * PostgreSQL or a response cannot write.
 */
export function readMoment(text: string): Date | null {
  const [, day, offset] = form.exec(text) ?? [];
  if (day === undefined || !isDay(day)) return null;
  const at = new Date(text.length === 10 ? `${day}T00:00:00Z` : isoOf(text, offset));
  const year = at.getUTCFullYear();
  return year >= 1 && year <= 9999 ? at : null;
}

/** Whether `YYYY-MM-DD` is in the calendar; the database has no year 0. */
export function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !day.startsWith('0000') && !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

/**
 * In the form that every JavaScript engine reads: with `T`, a point, at most three decimals and an offset with minutes.
 */
function isoOf(text: string, offset = ''): string {
  const clock = text
    .slice(11, text.length - offset.length)
    .replace(',', '.')
    .replace(/(\.\d{3})\d+$/, '$1');
  const zone =
    offset === ''
      ? 'Z'
      : offset.toUpperCase().replace(/^([+-]\d{2}):?(\d{2})?$/, (_, hours, minutes = '00') => `${hours}:${minutes}`);
  return `${text.slice(0, 10)}T${clock}${zone}`;
}
