/**
 * A stop while the SMSC hangs: over in time (20 s on a machine that is not busy), and the record says whether the
 * message may have been sent.
 */
import { expect, it, vi } from 'vitest';
import type { SilentSmpp } from './carrier.ts';
import { openVerificationWorld } from './world.ts';

const stopLimitMs = 120_000;
const dispatching = `select 1 from jobs where locked_by is not null`;
const begun = `select 1 from verifications where dispatch_started_at is not null`;

const cases: [SilentSmpp, hangsWhen: string, left: Record<string, unknown>, jobs: string[]][] = [
  // Nothing was sent: the next process sends.
  ['smpp without bind', dispatching, { dispatch_started_at: null, dispatched_at: null }, ['verification.dispatch']],
  // It may have been sent: it is not sent again, and fails unless its code is reported.
  ['smpp without response', begun, { dispatch_in_doubt: true }, ['verification.give_up']],
];

// Each waits as long as a stop may take, so they wait side by side.
it.concurrent.each(cases)('%s', async (carrier, hangsWhen, left, jobs) => {
  const world = await openVerificationWorld(carrier);
  try {
    const { query } = world;
    const { process, client } = await world.start();
    const { status } = await client.start({ destination: '+4915112345678', delivery_method: 'sms' });
    expect(status).toBe(201);
    // Not expect.poll, which does not work in tests that run side by side.
    await vi.waitFor(async () => expect(await query(hangsWhen)).toHaveLength(1), { timeout: 120_000 });

    const began = performance.now();
    expect(await process.stop()).toBe(0);
    expect(performance.now() - began).toBeLessThan(stopLimitMs);
    expect(await query('select * from verifications')).toMatchObject([{ status: 'pending', ...left }]);
    const waiting = `select task, locked_by from jobs
      where task like 'verification.%' and task not in ('verification.forget', 'verification.conversion')`;
    expect(await query(waiting)).toEqual(jobs.map((task) => ({ task, locked_by: null })));
  } finally {
    await world.close();
  }
});
