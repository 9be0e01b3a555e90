/** The routing decision by itself: trunks of a group by priority and weight. */
import { orderTrunks } from '../../src/business/voice/inbound/trunk-order.ts';
import type { Row } from '../row.ts';

const decisions = 200_000;
const limitUs = 20;

export function decisionRows(): Row[] {
  const group = Array.from({ length: 10 }, (_, index) => ({ priority: index % 2, weight: 10 * index }));
  for (let n = 0; n < 10_000; n += 1) orderTrunks(group);
  const started = performance.now();
  for (let n = 0; n < decisions; n += 1) orderTrunks(group);
  const microseconds = ((performance.now() - started) * 1000) / decisions;
  return [
    {
      measure: 'one routing decision over ten trunks: µs / 20',
      ratio: microseconds / limitUs,
      required: { atMost: 1 },
      note: `${microseconds.toFixed(1)} µs`,
    },
  ];
}
