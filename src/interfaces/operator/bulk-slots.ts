/**
 * Acts on many records at once (bulk actions, stock, price lists) are few at a time in a process, so that they leave
 * connections and the processor to everybody else; the others wait in the order in which they came.
 */
import { Overloaded } from '../../engines/db/unavailable.ts';
import type { Environment } from '../../engines/environment.ts';

export const bulkSlots = { lane: 'bulk acts', together: 2, mostWaiting: 16 } as const;

export async function inBulkSlot<T>({ jobs }: Pick<Environment, 'jobs'>, work: () => Promise<T>): Promise<T> {
  const { lane, together, mostWaiting } = bulkSlots;
  const leave = await jobs.lanes.enter(lane, together, mostWaiting);
  if (leave === null) throw new Overloaded('too many acts on many records wait already');
  try {
    return await work();
  } finally {
    leave();
  }
}
