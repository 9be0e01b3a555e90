/**
 * Real calls through sipp: how many a second, what one costs, how much memory they hold, and what happens at twice the
 * rate; next to Kamailio with dialogs and accounting in the same PostgreSQL.
 */
import type { Bench, Row } from './row.ts';
import { cpuRows, memoryRows } from './sip/cost.ts';
import { overloadRows } from './sip/overload.ts';
import { isShort, rateRows } from './sip/rate.ts';
import { openSipWorld } from './sip/world.ts';

export const sip: Bench = {
  name: 'sip',
  run: async (progress) => {
    const world = await openSipWorld();
    try {
      progress('calls a second');
      const { rows, rates } = await rateRows(world, progress);
      progress('processor time');
      const all: Row[] = [...rows, ...(await cpuRows(world, rates))];
      if (!isShort) {
        progress('memory');
        all.push(...(await memoryRows(world, rates.trunkline)));
      }
      progress('twice the rate');
      return [...all, ...(await overloadRows(world, rates.trunkline))];
    } finally {
      await world.close();
    }
  },
};
