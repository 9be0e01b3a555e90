import { expect, test } from 'vitest';
import { fits } from '../channels.ts';
import { type CapacityFacts, chooseChannel } from './take-channel.ts';

const full: CapacityFacts = {
  channels: { included: 2, dedicated: 1, shared: 3, metered: 1 },
  inUse: { included: 2, dedicated: 1, shared: 3, metered: 1 },
  numberInUse: 4,
  numberLimit: null,
};

const using = (inUse: Partial<CapacityFacts['inUse']>): CapacityFacts => ({
  ...full,
  inUse: { ...full.inUse, ...inUse },
});

test.each<[CapacityFacts, string]>([
  [using({ included: 0, dedicated: 0, shared: 0, metered: 0 }), 'included'],
  [using({ dedicated: 0, shared: 0, metered: 0 }), 'dedicated'],
  [using({ shared: 2, metered: 0 }), 'shared'],
  [using({ metered: 0 }), 'metered'],
  [using({ included: 1, metered: 0 }), 'included'],
])('channels are taken in the order included, dedicated, shared, metered (%#)', (facts, kind) => {
  expect(chooseChannel(facts)).toEqual({ kind });
});

test('none free: 480', () => {
  expect(chooseChannel(full)).toEqual({ refusal: { code: 480, reason: 'no_free_channel' } });
});

test('the limit of the number lowers, and never adds', () => {
  const free = using({ included: 0 });
  expect(chooseChannel({ ...free, numberLimit: 4 })).toEqual({ refusal: { code: 480, reason: 'number_limit' } });
  expect(chooseChannel({ ...free, numberLimit: 5 })).toEqual({ kind: 'included' });
  expect(chooseChannel({ ...full, numberLimit: 100 })).toEqual({ refusal: { code: 480, reason: 'no_free_channel' } });
});

test('a limit of null is none', () => {
  expect([fits(5, 5), fits(4, 5), fits(32_767, null)]).toEqual([false, true, true]);
});
