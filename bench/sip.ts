/**
 * Real calls through sipp: how many a second, what one costs, how much memory they hold, and what happens at twice the
 * rate; next to Kamailio with dialogs and accounting in the same PostgreSQL.
 */
import type { Bench, Row } from './row.ts';
import { cpuRows, memoryRows } from './sip/cost.ts';
import { overloadRows } from './sip/overload.ts';
import { rateRows } from './sip/rate.ts';
import { openSipWorld } from './sip/world.ts';

export const sip: Bench = {
  name: 'sip',
  run: async () => {
    const world = await openSipWorld();
    try {
      const { rows, rates } = await rateRows(world);
      const all: Row[] = [...rows, ...(await cpuRows(world, rates)), ...(await memoryRows(world, rates))];
      return [...all, ...(await overloadRows(world, rates.trunkline))];
    } finally {
      await world.close();
    }
  },
};
