/** How a URL goes over the wire. */
import { expect, test } from 'vitest';
import { requestTarget, wireUrl } from './outbound-address.ts';

test.each([
  ['http://h.test/a?b#c', 'http://h.test/a?b#c'],
  ['http://h.test/grüße?name=Zoë#é', 'http://h.test/gr%C3%BC%C3%9Fe?name=Zo%C3%AB#%C3%A9'],
  ['http://h.test/%c3%bc', 'http://h.test/%c3%bc'],
  ['https://bücher.test:8443/x', 'https://xn--bcher-kva.test:8443/x'],
  ['http://ü:p@h.test/', 'http://%C3%BC:p@h.test/'],
  ['HTTP://H.test/a/../b|c', 'HTTP://H.test/a/../b|c'],
  ['http://h.test/\ud83d\ude00\ud83d', 'http://h.test/%F0%9F%98%80%EF%BF%BD'],
  ['no url', null],
])('%s goes over the wire as %s', (text, expected) => {
  expect(wireUrl(text)).toBe(expected);
});

test.each([
  ['http://h.test', '/'],
  ['http://h.test?a=1', '/?a=1'],
  ['http://h.test/a/../b?x#f', '/a/../b?x'],
  ['http://u:p@h.test:81/%61?', '/%61?'],
  ['http://h.test\\a', '/a'],
])('the request line for %s says %s', (text, expected) => {
  expect(requestTarget(new URL(text), text)).toBe(expected);
});
