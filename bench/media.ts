/** The embedded media relay with real packets: its cost beside a bare forwarder, loss, delay, and calls a second. */
import { carriedRows } from './media/carried.ts';
import { costRows } from './media/cost.ts';
import { startParties } from './media/parties.ts';
import { setupRows } from './media/setup.ts';
import type { Bench } from './row.ts';

export const media: Bench = {
  name: 'media',
  run: async (progress) => {
    const parties = startParties();
    try {
      progress('what a packet and a stream cost');
      const cost = await costRows(parties);
      progress('500 calls for a minute, and the delay of 100');
      const carried = await carriedRows(parties);
      progress('calls a second with media and without');
      return [...cost, ...carried, ...(await setupRows(progress))];
    } finally {
      await parties.stop();
    }
  },
};
