/** Progress as a terminal and as a log get it. */
import { expect, test } from 'vitest';
import { showProgress } from './output.ts';

function run(isTTY: boolean): string {
  let text = '';
  const progress = showProgress({ isTTY, write: (part: string) => (text += part) });
  for (let done = 0; done <= 1000; done += 10) progress('Reading', done, 1000);
  return text;
}

test('a terminal sees one bar that fills and ends its line', () => {
  const shown = run(true).split('\r\x1b[K');
  expect(shown[1]).toBe('Reading [------------------------------] 0 %');
  expect(shown.at(-1)).toBe('Reading [##############################] 100 %\n');
});

test('a log gets one line per tenth', () => {
  const lines = run(false).trimEnd().split('\n');
  expect(lines).toHaveLength(10);
  expect(lines.at(-1)).toBe('Reading: 100 %');
});

test('nothing to do is all of it', () => {
  let text = '';
  showProgress({ isTTY: false, write: (part: string) => (text += part) })('Reading', 0, 0);
  expect(text).toBe('Reading: 100 %\n');
});
