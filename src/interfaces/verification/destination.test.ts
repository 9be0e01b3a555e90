/** Telephone numbers in every form that clients write. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { numberFacts, numberToLookUp, parseDestination } from './destination.ts';

it.each([
  ['493012345678', { isKnown: true, country: 'DE', isPremium: false, isLandline: true }],
  ['4915112345678', { isKnown: true, country: 'DE', isPremium: false, isLandline: false }],
  ['12125550100', { isKnown: true, country: 'US', isPremium: false, isLandline: false }],
  ['449098790879', { isKnown: true, country: 'GB', isPremium: true, isLandline: false }],
  ['15555550100', { isKnown: false, country: null, isPremium: false, isLandline: false }],
  ['99999999999', { isKnown: false, country: null, isPremium: false, isLandline: false }],
])('%s is known as %j', (digits, facts) => {
  expect(numberFacts(digits)).toEqual(facts);
});

it.each([
  ['4915112345678', '4915112345678'],
  ['+49 151-12345678', '4915112345678'],
  ['004915112345678', '4915112345678'],
  ['49015112345678', '4915112345678'],
  ['371.123', '371123'],
  ['015112345678', '015112345678'],
  ['abc', ''],
])('number %s is looked up as %s', (text, digits) => {
  expect(numberToLookUp(text)).toBe(digits);
});

it('is settled after one step: what was normalised is looked up as it is, and never starts with 0', () => {
  const digits = fc.stringMatching(/^(00|\+)?[0-9]{8,15}$/);
  fc.assert(
    fc.property(digits, (text) => {
      const normalised = parseDestination(text);
      if (normalised === null) return;
      expect(normalised).toMatch(/^[1-9][0-9]{5,14}$/);
      expect(numberToLookUp(normalised)).toBe(normalised);
    }),
    { numRuns: 5000 },
  );
  // A carrier code of China hides another one.
  expect(numberToLookUp('86128002020620')).toBe(numberToLookUp('862020620'));
});
