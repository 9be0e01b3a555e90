/** Which texts are e-mail addresses. */
import { expect, test } from 'vitest';
import { isEmailAddress, trimmedAddress } from './email-address.ts';

test.each([
  'ops@acme.test',
  "o'brien+tag@mail.example.co.uk",
  'a@localhost',
  'x_1@xn--bcher-kva.example',
  'x@bücher.example',
])('%s is one', (text) => expect(isEmailAddress(text)).toBe(true));

test.each([
  '',
  'nobody',
  '@acme.test',
  'ops@',
  'ops@@acme.test',
  'a b@acme.test',
  '.ops@acme.test',
  'o..ps@acme.test',
  'ops.@acme.test',
  'ops@-acme.test',
  'ops@acme..test',
  'ops@acme.test.',
  'ops@127.0.0.1',
  '"ops"@acme.test',
  'ops@acme.test\r\nBcc: victim@example.com',
  'ops\n@acme.test',
  'ops@acme.test\u0000',
  'ops\u202e@acme.test',
  'ops@acme.test,other@acme.test',
  'Ops <ops@acme.test>',
  `${'a'.repeat(65)}@acme.test`,
  `ops@${'a.'.repeat(130)}test`,
])('%j is none', (text) => expect(isEmailAddress(text)).toBe(false));

test('spaces around one are dropped, line ends are not', () => {
  expect(trimmedAddress(' ops@acme.test ')).toBe('ops@acme.test');
  expect(isEmailAddress(trimmedAddress('ops@acme.test\r\n'))).toBe(false);
});
