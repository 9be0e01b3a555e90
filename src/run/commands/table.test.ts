/** Tables in terminals of any width, and the one form of amounts. */
import { expect, test } from 'vitest';
import { columns } from './command.ts';
import { money, shown, table } from './output.ts';

const headings = ['ID', 'STATE', 'REASON'];
const id = '0198c1f0-7a70-7000-8000-000000000001';
const rows = [
  [id, 'failed', 'the receiver closed the connection before it answered'],
  [id, 'delivered', ''],
];

test('a table that fits has one line per row', () => {
  expect(table(headings, rows, 'none', 120)).toEqual([
    'ID                                    STATE      REASON',
    `${id}  failed     the receiver closed the connection before it answered`,
    `${id}  delivered`,
  ]);
});

test('in a narrow terminal sentences go on in the next line, and ids stay whole', () => {
  const lines = table(headings, rows, 'none', 80);
  expect(lines).toEqual([
    'ID                                    STATE      REASON',
    `${id}  failed     the receiver closed the`,
    `${' '.repeat(49)}connection before it answered`,
    `${id}  delivered`,
  ]);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
});

test('where that is not enough, each row is a block', () => {
  expect(table(headings, rows, 'none', 50)).toEqual([
    `ID      ${id}`,
    'STATE   failed',
    'REASON  the receiver closed the connection before it answered',
    '',
    `ID      ${id}`,
    'STATE   delivered',
  ]);
});

test('no rows are one sentence', () => {
  expect(table(headings, [], 'There is nothing.', 10)).toEqual(['There is nothing.']);
});

test('the help goes on below what it explains', () => {
  expect(columns([['--reason TEXT', 'why; kept in the audit log for good']], 42)).toEqual([
    '  --reason TEXT  why; kept in the audit',
    '                 log for good',
  ]);
});

test.each([
  ['10.0000', '10.00'],
  ['0.012500', '0.0125'],
  ['-3.7', '-3.70'],
  ['7', '7.00'],
])('%s is printed as %s', (amount, printed) => {
  expect(money(amount)).toBe(printed);
});

test('members of records that are no amounts stay as they are', () => {
  expect([shown('1.5000'), shown('2026-04-16'), shown('192.0.2.1'), shown(7), shown(null)]).toEqual([
    ...['1.50', '2026-04-16', '192.0.2.1', '7', '-'],
  ]);
});
