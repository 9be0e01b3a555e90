/** Numbers of the panel are grouped as libphonenumber groups them. */
import { readFile } from 'node:fs/promises';
import { getCountries, getExampleNumber } from 'libphonenumber-js';
import examples from 'libphonenumber-js/mobile/examples';
import { expect, test } from 'vitest';
import { formatsFile, numberFormats } from '../scripts/number-formats.ts';
import { groupNumber, plainNumbers } from '../web/src/parts/phone-number.ts';

test('the formats are those of the package', async () => {
  expect(JSON.parse(await readFile(formatsFile, 'utf8'))).toEqual(numberFormats());
});

test('a mobile number of every country', () => {
  const numbers = getCountries().flatMap((country) => getExampleNumber(country, examples) ?? []);
  expect(numbers.length).toBeGreaterThan(200);
  const grouped = numbers.map(({ number }) => groupNumber(number.slice(1)).replaceAll('\u00a0', ' '));
  expect(grouped).toEqual(numbers.map((number) => number.formatInternational()));
});

test.each([
  ['442079460000', '+44 20 7946 0000'],
  ['13325550100', '+1 332 555 0100'],
  ['493023125001', '+49 30 23125001'],
  ['4420', '+4420'],
  ['1001', '+1001'],
  ['999999999999999', '+999999999999999'],
])('%s is %s', (digits, shown) => {
  expect(groupNumber(digits).replaceAll('\u00a0', ' ')).toBe(shown);
  expect(plainNumbers(groupNumber(digits))).toBe(`+${digits}`);
});

test('what is no number stays as it is in a spreadsheet', () => {
  expect(plainNumbers('Desk +44 20')).toBe('Desk +44 20');
});
