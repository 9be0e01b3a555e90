/** Codes are drawn evenly and compared as hashes. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { ServerKey } from '../../base/server-key.ts';
import { codeMatches, generateCode, hashCode } from './codes.ts';

it.each([4, 5, 6, 7, 8])('draws codes of %i digits, leading zeros included', (length) => {
  const codes = Array.from({ length: 400 }, () => generateCode(length));
  for (const code of codes) expect(code).toMatch(new RegExp(`^\\d{${length}}$`));
  expect(codes.some((code) => code.startsWith('0'))).toBe(true);
  expect(new Set(codes).size).toBeGreaterThan(300);
});

it('draws every first digit about equally often (chi-square, 9 degrees of freedom)', () => {
  const counts = new Array<number>(10).fill(0);
  for (let i = 0; i < 20_000; i++) {
    const digit = Number(generateCode(4)[0]);
    counts[digit] = (counts[digit] ?? 0) + 1;
  }
  const chiSquare = counts.reduce((sum, count) => sum + (count - 2000) ** 2 / 2000, 0);
  expect(chiSquare).toBeLessThan(50); // p < 1e-7
});

it('matches a code only with its own verification, key and digits', () => {
  const key = new ServerKey(randomBytes(32));
  const hash = hashCode(key, 'a', '001234');
  expect(codeMatches(key, 'a', '001234', hash)).toBe(true);
  expect(codeMatches(key, 'a', '1234', hash)).toBe(false);
  expect(codeMatches(key, 'b', '001234', hash)).toBe(false);
  expect(codeMatches(new ServerKey(randomBytes(32)), 'a', '001234', hash)).toBe(false);
  const both = Buffer.concat([hashCode(key, 'a', '999999'), hash]);
  expect(codeMatches(key, 'a', '001234', both)).toBe(true);
  expect(codeMatches(key, 'a', '999999', both)).toBe(true);
  expect(codeMatches(key, 'a', '123456', both)).toBe(false);
  expect(codeMatches(key, 'a', '001234', Buffer.alloc(0))).toBe(false);
  const [before, after] = [randomBytes(32), randomBytes(32)];
  const sent = hashCode(new ServerKey(before), 'a', '001234');
  expect(codeMatches(new ServerKey(after, before), 'a', '001234', sent)).toBe(true);
  expect(hash.toString('latin1')).not.toContain('001234');
});
