/** Calls, their events and their exports, next to the same work written by hand. */
import type { Bench } from './row.ts';
import { callRows } from './voice/calls.ts';
import { decisionRows } from './voice/decisions.ts';
import { deliveryRows } from './voice/delivery.ts';
import { exportRows } from './voice/exports.ts';
import { openVoiceWorld } from './voice/world.ts';

export const voice: Bench = {
  name: 'voice',
  run: async () => {
    const world = await openVoiceWorld();
    try {
      return [
        ...decisionRows(),
        ...(await callRows(world)),
        ...(await deliveryRows(world)),
        ...(await exportRows(world)),
      ];
    } finally {
      await world.close();
    }
  },
};
