/** VAT by country and VAT id. */
import { expect, test } from 'vitest';
import { taxRateFor, taxRuleFor } from './tax-rules.ts';

test.each([
  ['DE', 'DE', 'DE136695976', 'domestic', '19'],
  ['DE', 'DE', null, 'domestic', '19'],
  ['DE', 'FR', 'FR40303265045', 'reverse_charge', '0'],
  ['DE', 'FR', null, 'eu_consumer', '20'],
  ['DE', 'MC', null, 'eu_consumer', '20'],
  ['FR', 'MC', null, 'domestic', '20'],
  ['DE', 'GR', 'EL094259216', 'reverse_charge', '0'],
  ['DE', 'US', null, 'outside_eu', '0'],
  ['DE', 'GB', 'GB980780684', 'outside_eu', '0'],
  ['GB', 'GB', null, 'domestic', '20'],
  ['GB', 'IE', null, 'eu_consumer', '23'],
  ['GB', 'IE', 'IE6433435F', 'reverse_charge', '0'],
  ['US', 'US', null, 'domestic', null],
])('a seller in %s, a customer in %s with the VAT id %s: %s at %s %%', (seller, country, vat_id, treatment, rate) => {
  expect(taxRuleFor(seller, { country, vat_id }).treatment).toBe(treatment);
  expect(taxRateFor(seller, { country, vat_id })).toBe(rate);
});

test('what carries no tax says why', () => {
  expect(taxRuleFor('DE', { country: 'FR', vat_id: 'FR40303265045' }).note).toMatch(/^Reverse charge/);
  expect(taxRuleFor('DE', { country: 'US', vat_id: null }).note).toMatch(/^Not subject to VAT/);
});
