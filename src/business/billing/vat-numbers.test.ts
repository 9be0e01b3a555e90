/** Which texts are VAT numbers of a country. */
import { expect, test } from 'vitest';
import { isVatNumberOf } from './vat-numbers.ts';

/** One real number for each country with a rule: an upgrade of the library that moves a file fails here. */
const real = {
  AT: 'ATU13585627',
  AU: '51 824 753 556',
  BE: 'BE0403.019.261',
  BG: 'BG 175 074 752',
  BR: '16.727.230/0001-97',
  CH: 'CHE-107.787.577 IVA',
  CY: 'CY-10259033P',
  CZ: 'CZ 25123891',
  DE: 'DE 811.569.869',
  DK: 'DK 13585628',
  EE: 'EE 100 931 558',
  ES: 'ES B-58378431',
  FI: 'FI 20774740',
  FR: 'FR 40 303 265 045',
  GB: 'GB 980 7806 84',
  GR: 'EL 094259216',
  HR: 'HR33392005961',
  HU: 'HU-12892312',
  IE: 'IE6388047V',
  IN: '27AAPFU0939F1ZV',
  IS: 'IS 00621',
  IT: 'IT 00743110157',
  KR: '116-82-00276',
  LT: 'LT119511515',
  LU: 'LU 150 274 42',
  LV: 'LV 4000 3521 600',
  MC: 'FR 53 0000 04605',
  MT: 'MT-1167-9112',
  MX: 'GODE 561231 GR8',
  NL: 'NL004495445B01',
  NO: 'NO 995 525 828 MVA',
  NZ: '49-091-850',
  PL: 'PL 8567346215',
  PT: 'PT 501 964 843',
  RO: 'RO 185 472 90',
  RS: '101134702',
  SE: 'SE 123456789701',
  SI: 'SI 5022 3054',
  SK: 'SK 202 274 96 19',
  TR: '4540536920',
  ZA: '4103172564',
};

/** Where the last digit is not covered by a check digit. */
const unchecked = ['IS', 'NL', 'ZA'];

test.each(Object.entries(real))('%s: %s', async (iso, number) => {
  expect(await isVatNumberOf(number, iso)).toBe(true);
  const wrong = number.replace(/(\d)(\D*)$/, (_, digit, rest) => `${(Number(digit) + 1) % 10}${rest}`);
  expect(await isVatNumberOf(wrong, iso)).toBe(unchecked.includes(iso));
  expect(await isVatNumberOf('XX', iso)).toBe(false);
});

test.each([
  ['811569869', 'DE', true],
  ['de811569869', 'DE', true],
  ['DE811569868', 'DE', false],
  ['GR094259216', 'GR', true],
  ['EL094259216', 'DE', false],
  ['FR40303265045', 'DE', false],
  ['DE', 'DE', false],
  ['XI980780684', 'GB', true],
  ['GBGD001', 'GB', true],
  ['GB980780685', 'GB', false],
  ['CHE-107.787.577', 'CH', true],
  ['988 077 917', 'NO', true],
  // Countries without a rule.
  ['12-3456789', 'US', true],
  ['XX', 'US', false],
  ['1<script>', 'US', false],
  ['', 'GB', false],
])('%s in %s: %s', async (number, iso, fits) => {
  expect(await isVatNumberOf(number, iso)).toBe(fits);
});
