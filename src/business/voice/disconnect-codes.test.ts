/** The table of disconnect codes is the contract's. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isRerouted, reroutingCodes, ringingTimeoutCode, sipCodeOf } from './disconnect-codes.ts';

test('the table is the contract’s', () => {
  const copy = new URL('../../../test/contract/types.json', import.meta.url);
  const listed: Record<string, number | string> = JSON.parse(readFileSync(copy, 'utf8')).enums
    .rerouting_disconnect_code_ids;
  const ours = Object.fromEntries(
    Object.entries(reroutingCodes).map(([id, code]) => [id, code === ringingTimeoutCode ? 'ringing timeout' : code]),
  );
  expect(ours).toEqual(listed);
});

test.each<[number, readonly number[] | null, boolean]>([
  [486, [90], true],
  [486, [84, 90, 1505], true],
  [486, [84], false],
  [486, [], false],
  [486, null, false],
  [1505, [1505], true],
  [1505, [64], false],
  [408, [1505], false],
  [408, [64], true],
])('an attempt that ends with %i and the list %j goes on: %s', (code, ids, goesOn) => {
  expect(isRerouted(code, ids)).toBe(goesOn);
});

test('a caller hears 408 for a destination that rang too long', () => {
  expect([sipCodeOf(ringingTimeoutCode), sipCodeOf(486)]).toEqual([408, 486]);
});
