/** Emergency numbers by country. */
import { getCountries } from 'libphonenumber-js/max';
import { expect, test } from 'vitest';
import { isEmergencyNumber, isEmergencyNumberIn } from './emergency-numbers.ts';

test.each([
  ['US', '911', true],
  ['CA', '911', true],
  ['US', '999', false],
  ['GB', '999', true],
  ['GB', '112', true],
  ['GB', '911', false],
  ['IE', '999', true],
  ['DE', '110', true],
  ['DE', '112', true],
  ['DE', '911', false],
  ['FR', '15', true],
  ['FR', '112', true],
  ['NL', '112', true],
  ['AU', '000', true],
  ['NZ', '111', true],
  ['JP', '119', true],
  ['BR', '190', true],
  ['IN', '112', true],
  ['ZA', '10111', true],
  // A country that is not listed.
  ['ZW', '112', true],
  ['ZW', '911', true],
  ['ZW', '110', false],
])('in %s %s is an emergency number: %s', (country, number, expected) => {
  expect(isEmergencyNumberIn(country, number)).toBe(expected);
});

test('no ordinary number is taken for an emergency', () => {
  for (const number of ['4930123', '15550100', '1', '91', '9110', '44112', '112112']) {
    expect(isEmergencyNumber(number)).toBe(false);
  }
});

test('every member of the European Union has 112', () => {
  const union = 'AT BE BG HR CY CZ DK EE FI FR DE GR HU IE IT LV LT LU MT NL PL PT RO SK SI ES SE'.split(' ');
  expect(union.filter((country) => !isEmergencyNumberIn(country, '112'))).toEqual([]);
});

test('in every country there is a number, and the rule that recognises a number anywhere knows it', () => {
  const short = [...Array(100_000).keys()].flatMap((n) => [String(n), String(n).padStart(3, '0')]);
  const known = short.filter(isEmergencyNumber);
  const without = getCountries().filter((country) => !known.some((number) => isEmergencyNumberIn(country, number)));
  expect(without).toEqual([]);
});
