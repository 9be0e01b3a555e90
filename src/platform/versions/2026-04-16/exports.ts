import { type Change, capitalised, isObject, otherWords, unshown, withAttributes } from '../change.ts';

/** Exports were asked for by year, month and perhaps day; their filters were not shown again. */
export const exports: readonly Change[] = [
  otherWords('exports', 'status', capitalised(['pending', 'processing', 'completed'])),
  unshown('exports', { attributes: ['filters'] }),
  {
    type: 'exports',
    request: ({ query, body }) => ({
      query,
      body: withAttributes(body, (attributes) =>
        isObject(attributes.filters) ? { ...attributes, filters: fromCalendar(attributes.filters) } : attributes,
      ),
    }),
  },
];

function fromCalendar(filters: Record<string, unknown>): Record<string, unknown> {
  const { year, month, day, ...rest } = filters;
  const [y, m, d] = [Number(year), Number(month), Number(day ?? 1)];
  if (year === undefined || month === undefined || ![y, m, d].every(Number.isInteger)) return filters;
  const from = new Date(Date.UTC(y, m - 1, d));
  const to = day === undefined ? new Date(Date.UTC(y, m, 1)) : new Date(Date.UTC(y, m - 1, d + 1));
  return { from: sqlTime(from), to: sqlTime(to), ...rest };
}

const sqlTime = (at: Date): string => at.toISOString().slice(0, 19).replace('T', ' ');
