import { expect, test } from 'vitest';
import { type CliFormat, callerIdFor } from './caller-id.ts';

test.each<[string, CliFormat, string | null, string | null, string]>([
  ['442079460958', 'e164', null, 'GB', '442079460958'],
  ['+442079460958', 'e164', null, 'GB', '442079460958'],
  ['+442079460958', 'e164', '+', 'GB', '+442079460958'],
  ['02079460958', 'e164', null, 'GB', '442079460958'],
  ['442079460958', 'local', null, 'GB', '02079460958'],
  ['442079460958', 'local', '9#', 'GB', '9#02079460958'],
  ['442079460958', 'local', null, 'DE', '442079460958'],
  ['442079460958', 'local', null, null, '442079460958'],
  ['+442079460958', 'raw', null, 'GB', '+442079460958'],
  ['anonymous', 'e164', null, 'GB', 'anonymous'],
  ['anonymous', 'local', '+', 'GB', '+anonymous'],
  ['12', 'e164', null, 'GB', '12'],
])('%s as %s with prefix %s for a number in %s is %s', (src, format, prefix, country, shown) => {
  expect(callerIdFor(src, { format, prefix }, country)).toBe(shown);
});
