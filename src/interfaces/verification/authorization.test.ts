/** The Authorization header and the age of a request. */
import { describe, expect, it } from 'vitest';
import { parseAuthorization, reachesMinimum, timestampIsFresh } from './authorization.ts';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('the Authorization header', () => {
  it.each([
    ['Application k', { mode: 'public', key: 'k' }],
    ['Application k:sig=', { mode: 'application', key: 'k', signature: 'sig=' }],
    ['Application k:a:b', { mode: 'application', key: 'k', signature: 'a:b' }],
    [basic('k:s'), { mode: 'basic', key: 'k', secret: 's' }],
    [basic('k:s:t'), { mode: 'basic', key: 'k', secret: 's:t' }],
  ])('%s is understood', (header, claim) => {
    expect(parseAuthorization(header)).toEqual(claim);
  });

  it.each([
    [undefined],
    [''],
    ['Application'],
    ['Application '],
    ['Application k:'],
    ['Application :sig'],
    ['Application :'],
    ['application k'],
    ['BASIC azpz'],
    [' Application k'],
    ['Basic'],
    ['Basic '],
    ['Basic %%%'],
    [basic('no colon')],
    [basic(':secret')],
    [basic('key:')],
    ['Bearer k'],
  ])('%j claims nothing', (header) => {
    expect(parseAuthorization(header)).toBeNull();
  });

  it('keeps a second space inside the key, which no application has', () => {
    expect(parseAuthorization('Application  k')).toEqual({ mode: 'public', key: ' k' });
  });
});

it.each([
  ['public', 'public', true],
  ['basic', 'public', true],
  ['application', 'public', true],
  ['public', 'basic', false],
  ['basic', 'basic', true],
  ['application', 'basic', true],
  ['public', 'application', false],
  ['basic', 'application', false],
  ['application', 'application', true],
] as const)('mode %s against minimum %s: %s', (mode, minimum, allowed) => {
  expect(reachesMinimum(mode, minimum)).toBe(allowed);
});

describe('x-timestamp', () => {
  const now = Date.UTC(2026, 0, 1) + 999;
  const second = Math.floor(now / 1000);
  it.each([
    [String(second), true],
    [String(second - 300), true],
    [String(second + 300), true],
    [String(second - 301), false],
    [String(second + 301), false],
    [`+${second}`, false],
    [`${second}.0`, false],
    [` ${second}`, false],
    ['', false],
    ['9'.repeat(400), false],
    [undefined, false],
  ])('%j fresh: %s', (timestamp, fresh) => {
    expect(timestampIsFresh(timestamp, now)).toBe(fresh);
  });
});
