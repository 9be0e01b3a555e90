/** Which channel an inbound call takes. */
import { expect, test } from 'vitest';
import { fits } from '../channels.ts';
import { type Channels, chooseChannel } from './take-channel.ts';

const channels: Channels = {
  ...{ included: 2, dedicated: 1, capacityGroup: { id: 'g', name: 'g', shared: 3, metered: 1 } },
  numberLimit: null,
};
const all = { included: 2, dedicated: 1, shared: 3, metered: 1, number_total: 4 };

test.each([
  [{ included: 0, dedicated: 0, shared: 0, metered: 0 }, 'included'],
  [{ dedicated: 0, shared: 0, metered: 0 }, 'dedicated'],
  [{ shared: 2, metered: 0 }, 'shared'],
  [{ metered: 0 }, 'metered'],
  [{ included: 1, metered: 0 }, 'included'],
])('channels are taken in the order included, dedicated, shared, metered: %j', (inUse, kind) => {
  expect(chooseChannel(channels, { ...all, ...inUse })).toBe(kind);
});

test('none free: 480, as for a number that is in no group', () => {
  expect(chooseChannel(channels, all)).toMatchObject({ code: 480, reason: 'no_free_channel' });
  const alone = chooseChannel({ ...channels, capacityGroup: null }, { ...all, shared: 0, metered: 0 });
  expect(alone).toMatchObject({ code: 480, reason: 'no_free_channel' });
});

test('the limit of the number lowers, and never adds', () => {
  const free = { ...all, included: 0 };
  expect(chooseChannel({ ...channels, numberLimit: 4 }, free)).toMatchObject({ code: 480, reason: 'number_limit' });
  expect(chooseChannel({ ...channels, numberLimit: 5 }, free)).toBe('included');
  expect(chooseChannel({ ...channels, numberLimit: 100 }, all)).toMatchObject({ reason: 'no_free_channel' });
});

test('a limit of null is none', () => {
  expect([fits(5, 5), fits(4, 5), fits(32_767, null)]).toEqual([false, true, true]);
});
