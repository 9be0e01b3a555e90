/** The time that an export covers. */
import { describe, expect, test } from 'vitest';
import { storedFilters, unknownKeys, windowOf, windowProblems } from './export-window.ts';

const now = new Date('2026-06-15T12:00:00Z');
const titles = (filters: Record<string, unknown>) =>
  windowProblems('moments', 'cdr_in', filters, now).map(({ title }) => title);
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
  ['2026-06-01T00:00:00Z', '2026-06-09', []],
  ['2026-06-01T00:00:00.123456789Z', '2026-06-09T02:00:00.5+02:00', []],
  ['2026-06-01T24:00:00Z', '2026-02-30', ['to not valid']],
  [null, undefined, ['from not valid', 'to not valid']],
])('from %s to %s: %j', (from, to, problems) => {
  expect(titles({ from, to })).toEqual(problems);
});

test('a window is stored in the form of the contract, however it was sent', () => {
  const sent = { from: '2026-06-01T02:00:00.987654321+02:00', to: '2026-06-09', did_number: '44' };
  const stored = { from: '2026-06-01 00:00:00', to: '2026-06-09 00:00:00', did_number: '44' };
  expect(storedFilters('moments', sent)).toEqual(stored);
});

test('errors point at the filters', () => {
  expect(windowProblems('moments', 'cdr_in', { to: '2026-06-09 00:00:00' }, now)).toEqual([
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
    unknownKeys('moments', type, { [key]: '1' }).map(({ detail }) => detail);
  expect(keys('cdr_in', 'did_number')).toEqual([]);
  expect(keys('cdr_out', 'did_number')).toEqual(['did_number is not allowed.']);
  expect(keys('cdr_out', 'voice_out_trunk.id')).toEqual([]);
  expect(keys('cdr_in', 'year')).toEqual(['year is not allowed.']);
});

describe('a window by the calendar', () => {
  const problems = (filters: Record<string, unknown>) =>
    windowProblems('calendar', 'cdr_in', filters, now).map(({ title }) => title);

  test.each<[Record<string, unknown>, string[]]>([
    [{ year: 2026, month: 6 }, []],
    [{ year: '2026', month: '06', day: '15' }, []],
    [{ year: 2026, month: 4, day: 1 }, []],
    [{ year: 2026, month: 6, day: 16 }, ['day not valid']],
    [{ year: 2026, month: 7 }, ['month not valid']],
    [{ year: 2026, month: 3 }, [tooOld('month')]],
    [{ year: 2026, month: 3, day: 31 }, [tooOld('day')]],
    [{ year: 2026, month: 6, day: 0 }, ['day not valid']],
    [{ year: 2026, month: 6, day: 31 }, ['day not valid']],
    [{ year: 2026, month: 6, day: 'x' }, ['day not valid']],
    [{ year: 2026, month: 0 }, ['month not valid']],
    [{ year: 2026, month: 13, day: 1 }, ['month not valid']],
    [{ month: 6 }, ['month not valid']],
    [{ year: 0, month: 6 }, ['month not valid']],
  ])('%j: %j', (filters, titles) => {
    expect(problems(filters)).toEqual(titles);
  });

  test.each([
    [
      { year: '2026', month: '6', did_number: '44' },
      { year: 2026, month: 6, did_number: '44' },
      { from: '2026-06-01 00:00:00', to: '2026-07-01 00:00:00', did_number: '44' },
    ],
    [
      { year: 2026, month: 12, day: 31 },
      { year: 2026, month: 12, day: 31 },
      { from: '2026-12-31 00:00:00', to: '2027-01-01 00:00:00' },
    ],
  ])('%j is kept as numbers and read as two moments', (sent, stored, window) => {
    expect(storedFilters('calendar', sent)).toEqual(stored);
    expect(windowOf(stored)).toMatchObject(window);
  });

  test('knows no from and to', () => {
    expect(unknownKeys('calendar', 'cdr_in', { from: 'x', year: 1 }).map(({ detail }) => detail)).toEqual([
      'from is not allowed.',
    ]);
  });
});
