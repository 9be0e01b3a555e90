import { type ErrorObject, errors, invalid } from '../../jsonapi/errors.ts';
import { isUuid } from '../../jsonapi/filters.ts';
import type { Row } from '../../jsonapi/sql.ts';

/** The filters of an export, checked. `from` is part of the window, `to` is not. */
export interface ExportFilters {
  from: string;
  to: string;
  did_number?: string;
  'voice_out_trunk.id'?: string;
}

export type ExportType = 'cdr_in' | 'cdr_out';

const OWN_KEY = { cdr_in: 'did_number', cdr_out: 'voice_out_trunk.id' } as const;

/** Keys that the type does not know (400). */
export function unknownKeys(type: ExportType, filters: Row): ErrorObject[] {
  const known = ['from', 'to', OWN_KEY[type]];
  return Object.keys(filters)
    .filter((key) => !known.includes(key))
    .map(errors.paramNotAllowed);
}

/** Both ends within the current and the two previous months, in order, neither in the future. */
export function windowProblems(type: ExportType, filters: Row, now: Date): ErrorObject[] {
  const [from, to] = [readTime(filters.from), readTime(filters.to)];
  const earliest = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1);
  const problem = (name: string, at: number | null): string[] => {
    if (at === null || at > now.getTime()) return [`${name} not valid`];
    return at < earliest ? [`${name} must be within the current and 2 previous months`] : [];
  };
  const found = [...problem('from', from), ...problem('to', to)];
  if (found.length === 0 && from !== null && to !== null && from >= to) found.push('from not valid');
  const own = filters[OWN_KEY[type]];
  if (own !== undefined && !isOwnValue(type, own)) found.push(`${OWN_KEY[type]} not valid`);
  return found.map((message) => invalid.attribute('filters', message));
}

const isOwnValue = (type: ExportType, value: unknown): boolean =>
  typeof value === 'string' && (type === 'cdr_in' ? /^[0-9]{1,20}$/.test(value) : isUuid(value));

/** `YYYY-MM-DD HH:MM:SS`, UTC; a day that does not exist is none. */
function readTime(value: unknown): number | null {
  const text = typeof value === 'string' && /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/.test(value) ? value : null;
  const at = text === null ? null : new Date(`${text.replace(' ', 'T')}Z`);
  if (at === null || text === null || Number.isNaN(at.getTime())) return null;
  return at.toISOString().slice(0, 19) === text.replace(' ', 'T') ? at.getTime() : null;
}
