/** Which prefixes have collapsed, and for whom: an attacker's traffic alone does not block a prefix for others. */
import { expect, test } from 'vitest';
import { findCollapses, type Traffic } from './collapse.ts';

const limits = { starts: 50, percent: 10 };
const traffic = (accountId: string, sent: number, verified: number, before: [number, number] = [0, 0]): Traffic => ({
  ...{ prefix: '491511', accountId, sent, verified },
  ...{ sentBefore: before[0], verifiedBefore: before[1] },
});
const blockedFor = (...all: Traffic[]) => findCollapses(all, limits, 60).map(({ accountId }) => accountId);

test.each<[string, Traffic[], (string | null)[]]>([
  ['too little was sent', [traffic('a', 49, 0)], []],
  ['enough comes back', [traffic('a', 100, 10)], []],
  ['nothing comes back, and nothing is known of before', [traffic('a', 50, 0)], ['a']],
  ['it was always low', [traffic('a', 100, 8, [1000, 90])], []],
  ['hardly anything ever came back', [traffic('a', 100, 1, [1000, 20])], ['a']],
  ['it was twice as high before', [traffic('a', 100, 4, [1000, 90])], ['a']],
  ['one attacker beside customers whose codes come back', [traffic('a', 5000, 3), traffic('b', 80, 60)], ['a']],
  ['two accounts only', [traffic('a', 100, 0), traffic('b', 100, 0)], ['a', 'b']],
  ['three accounts and nobody else', [traffic('a', 90, 0), traffic('b', 90, 0), traffic('c', 90, 0)], [null]],
  [
    'three accounts, but the codes of a small one come back',
    [traffic('a', 90, 0), traffic('b', 90, 0), traffic('c', 90, 0), traffic('d', 9, 6)],
    ['a', 'b', 'c'],
  ],
])('%s', (_case, all, expected) => expect(blockedFor(...all)).toEqual(expected));

test('a collapse says what was seen', () => {
  const [collapse] = findCollapses([traffic('a', 200, 4, [1000, 600])], limits, 60);
  expect(collapse?.reason).toBe('4 of 200 codes (2.0 %) came back in 60 minutes; in the days before 60.0 % did.');
  expect(collapse?.measured).toMatchObject({ sent: 200, verified: 4, sent_before: 1000, verified_before: 600 });
});
