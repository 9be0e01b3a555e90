/** How many worlds all accounts and one may have, and what is said beyond that. */
import { expect, test } from 'vitest';
import { requireRoom, requireShare, requireSpace } from './limits.ts';

const limits = { most: 4, mostSip: 3, idleMs: 1, ready: 0, mostBytes: 100 * 2 ** 20 };
const none = { all: 0, own: 0, sip: 0, ownSip: 0 };

const refusalOf = (work: () => void): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    return String(error);
  }
};

test.each([
  ['the first', none, true, null],
  ['the last of all', { ...none, all: 3, own: 1 }, false, null],
  ['one more than all', { ...none, all: 4, own: 1 }, false, /^Error: This sandbox has 4 worlds, the most it may have/],
  ['more than half for one account', { ...none, all: 2, own: 2 }, false, /^Error: This account has 2 worlds/],
  ['the last with SIP', { all: 2, own: 1, sip: 2, ownSip: 1 }, true, null],
  ['one more with SIP', { all: 3, own: 1, sip: 3, ownSip: 1 }, true, /^Error: This sandbox has 3 worlds with SIP/],
  ['one without SIP when those with it are taken', { all: 3, own: 1, sip: 3, ownSip: 1 }, false, null],
  [
    'more with SIP than half for one account',
    { all: 2, own: 1, sip: 2, ownSip: 2 },
    true,
    /^Error: This account has 2 worlds with SIP/,
  ],
] as const)('%s', (_what, counts, wantsSip, refused) => {
  const said = refusalOf(() => requireRoom(counts, limits, wantsSip));
  if (refused === null) expect(said).toBeNull();
  else expect(said).toMatch(refused);
});

test('disk of all, and half of it for one account', () => {
  const mebibyte = 2 ** 20;
  expect(refusalOf(() => requireSpace(99 * mebibyte, limits))).toBeNull();
  expect(refusalOf(() => requireSpace(100 * mebibyte, limits))).toContain('the 100 MiB that they may');
  expect(refusalOf(() => requireShare(49 * mebibyte, limits))).toBeNull();
  expect(refusalOf(() => requireShare(50 * mebibyte, limits))).toContain('this account take the 50 MiB that they may');
});
