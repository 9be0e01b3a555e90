/** Acts on many records wait for a slot, and are refused once too many wait. */
import { expect, test } from 'vitest';
import { addOperator } from '../../../test/support/operator.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { useMade, useOpened } from '../../../test/support/use.ts';
import { bulkSlots, inBulkSlot } from './bulk-slots.ts';

const server = useOpened(() => startTestServer());
const operator = useMade(() => addOperator(server));

const acts = {
  bulk_actions: { subject: 'jobs', action: 'retry', reason: 'again' },
  stock_actions: { action: 'withdraw', number_prefix: '4420', reason: 'gone' },
  price_lists: { kind: 'termination', csv: 'prefix,per_minute\n44,0.01\n', reason: 'new', dry_run: true },
};

/** Takes a slot until the returned function is called. */
async function occupy(): Promise<() => Promise<void>> {
  const entered = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const work = inBulkSlot(server.env, () => {
    entered.resolve();
    return released.promise;
  });
  await entered.promise;
  return () => {
    released.resolve();
    return work;
  };
}

test.each(Object.entries(acts))('%s wait while all slots are taken', async (type, attributes) => {
  const taken = [await occupy(), await occupy()];
  let isDone = false;
  const act = operator.client.post(`/${type}`, { data: { type, attributes } }).then((response) => {
    isDone = true;
    return response;
  });
  // Another request, sent later and answered: the act could have been done meanwhile.
  expect((await operator.client.get('/bulk_actions')).status).toBe(200);
  expect(isDone).toBe(false);
  for (const release of taken) await release();
  expect((await act).status).toBe(201);
});

test('beyond what may wait it is 503 with Retry-After, and nothing is changed', async () => {
  const taken = [await occupy(), await occupy()];
  const order: number[] = [];
  const waiting = Array.from({ length: bulkSlots.mostWaiting }, (_, n) =>
    inBulkSlot(server.env, async () => void order.push(n)),
  );
  const refused = await operator.client.post('/bulk_actions', {
    data: { type: 'bulk_actions', attributes: acts.bulk_actions },
  });
  expect([refused.status, refused.headers.get('retry-after'), refused.errors[0]?.meta]).toEqual([
    503,
    '1',
    { outcome: 'nothing_changed' },
  ]);
  for (const release of taken) await release();
  await Promise.all(waiting);
  expect(order).toEqual(Array.from({ length: bulkSlots.mostWaiting }, (_, n) => n));
});
