/** Which addresses may be described where media must come from a list. */
import { expect, test } from 'vitest';
import { mayDescribe } from './media-sources.ts';

const addresses = ['203.0.113.7', '8.8.8.8', '10.0.0.7'];
const taken = (allowed: readonly string[] | null, media: Parameters<typeof mayDescribe>[1]) =>
  addresses.filter(mayDescribe(allowed, media));

test('without a list any; with one those of the list, and behind NAT any where the engine looks at packets', () => {
  const [embedded, rtpengine] = [{ name: 'embedded' }, { name: 'rtpengine' }] as const;
  const list = ['203.0.113.0/24'];
  expect(taken(null, null)).toEqual(addresses);
  expect(taken([], rtpengine)).toEqual(addresses);
  expect(taken(list, embedded)).toEqual(['203.0.113.7', '10.0.0.7']);
  expect(taken(list, rtpengine)).toEqual(['203.0.113.7']);
  expect(taken(list, null)).toEqual(['203.0.113.7']);
});
