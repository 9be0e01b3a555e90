import { expect, test } from 'vitest';
import { unknownKeys, windowProblems } from './export-window.ts';

const now = new Date('2026-06-15T12:00:00Z');
const titles = (filters: Record<string, unknown>) => windowProblems('cdr_in', filters, now).map(({ title }) => title);
const tooOld = (name: string) => `${name} must be within the current and 2 previous months`;

test.each([
  ['2026-06-01 00:00:00', '2026-06-15 12:00:00', []],
  ['2026-04-01 00:00:00', '2026-05-01 00:00:00', []],
  ['2026-03-31 23:59:59', '2026-05-01 00:00:00', [tooOld('from')]],
  ['2026-03-01 00:00:00', '2026-03-02 00:00:00', [tooOld('from'), tooOld('to')]],
  ['2026-06-01 00:00:00', '2026-06-15 12:00:01', ['to not valid']],
  ['2026-06-15 12:00:00', '2026-06-15 12:00:00', ['from not valid']],
  ['2026-06-10 00:00:00', '2026-06-09 00:00:00', ['from not valid']],
  ['2026-06-31 00:00:00', '2026-06-09 00:00:00', ['from not valid']],
  ['2026-06-01T00:00:00Z', '2026-06-09', ['from not valid', 'to not valid']],
  [null, undefined, ['from not valid', 'to not valid']],
])('from %s to %s: %j', (from, to, problems) => {
  expect(titles({ from, to })).toEqual(problems);
});

test('errors point at the filters', () => {
  expect(windowProblems('cdr_in', { to: '2026-06-09 00:00:00' }, now)).toEqual([
    {
      title: 'from not valid',
      detail: 'filters - from not valid',
      code: '100',
      status: '422',
      source: { pointer: '/data/attributes/filters' },
    },
  ]);
});

test('each type has a key of its own', () => {
  const keys = (type: 'cdr_in' | 'cdr_out', key: string) =>
    unknownKeys(type, { [key]: '1' }).map(({ detail }) => detail);
  expect(keys('cdr_in', 'did_number')).toEqual([]);
  expect(keys('cdr_out', 'did_number')).toEqual(['did_number is not allowed.']);
  expect(keys('cdr_out', 'voice_out_trunk.id')).toEqual([]);
  expect(keys('cdr_in', 'year')).toEqual(['year is not allowed.']);
});
