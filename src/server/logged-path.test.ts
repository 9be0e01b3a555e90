import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loggedPath } from './logged-path.ts';

it.each([
  ['/v3/dids/3fa85f64-5717-4562-b3fc-2c963f66afa6', '/v3/dids/3fa85f64-5717-4562-b3fc-2c963f66afa6'],
  [
    '/sandbox/v1/calls/10-10282FC6-5F632C460006A397-AC8C7700/hangup',
    '/sandbox/v1/calls/10-10282FC6-5F632C460006A397-AC8C7700/hangup',
  ],
  [
    '/v3/exports/3fa85f64-5717-4562-b3fc-2c963f66afa6.csv.gz',
    '/v3/exports/3fa85f64-5717-4562-b3fc-2c963f66afa6.csv.gz',
  ],
  ['/room/things/7?code=1234', '/room/things/7'],
  ['/', '/'],
  ['/api/v1/verifications/by_number/4915112345678', '/api/v1/verifications/by_number/[masked]'],
  ['/api/v1/verifications/by_number/%2B4915112345678', '/api/v1/verifications/by_number/[masked]'],
  ['/api/v1/verifications/by_number/49-151-12345678', '/api/v1/verifications/by_number/[masked]'],
  ['/api/v1/verifications/by_number/4915112345678/1234', '/api/v1/verifications/by_number/[masked]/[masked]'],
])('%s is logged as %s', (url, logged) => {
  expect(loggedPath(url)).toBe(logged);
});

it('hides a number in any encoding and with any separators', () => {
  const separator = fc.constantFrom('', '-', '.', '(', ' ', '+');
  const digit = fc.tuple(fc.integer({ min: 0, max: 9 }), separator, fc.boolean());
  fc.assert(
    fc.property(fc.array(digit, { minLength: 6, maxLength: 15 }), (digits) => {
      const written = digits.map(([value, between, encoded]) =>
        encoded ? `${encodeURIComponent(between)}%3${value}` : `${encodeURIComponent(between)}${value}`,
      );
      expect(loggedPath(`/by_number/${written.join('')}`)).toBe('/by_number/[masked]');
    }),
  );
});
