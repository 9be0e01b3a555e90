import { afterEach, beforeEach, expect, it } from 'vitest';
import { createProcesses, type Processes } from '../../test/support/processes.ts';
import { FixedClock, machineClock } from '../clock.ts';
import { advanceClock } from './advance.ts';
import { SandboxClock } from './clock.ts';

let processes: Processes;
beforeEach(async () => {
  processes = await createProcesses();
});
afterEach(() => processes.close());

const machine = new FixedClock('2026-01-01T00:00:00Z');

it("is the machine's time in production, which nobody can move", async () => {
  const env = await processes.start('production');
  expect(env.clock).toBe(machineClock);
  await expect(advanceClock(env, 1, { handlers: [] })).rejects.toThrow('cannot be moved');
});

it("is the machine's time plus an offset that outlives the process", async () => {
  const first = await processes.start('sandbox', machine);
  expect(first.clock.now().toISOString()).toBe('2026-01-01T00:00:00.000Z');
  await advanceClock(first, 3600, { handlers: [] });
  await processes.kill(first);
  const second = await processes.start('sandbox', machine);
  expect(second.clock.now().toISOString()).toBe('2026-01-01T01:00:00.000Z');
});

it('does not go back to an older state that it hears of late', async () => {
  const { clock } = await processes.start('sandbox', machine);
  if (!(clock instanceof SandboxClock)) throw new Error('not the sandbox');
  clock.adopt({ version: 7, offsetMs: 5000, standsAtMs: null });
  clock.adopt({ version: 6, offsetMs: 1000, standsAtMs: Date.parse('2026-01-01T00:00:01Z') });
  expect(clock.now().toISOString()).toBe('2026-01-01T00:00:05.000Z');
});

it('is the time by which the database decides what is due', async () => {
  const env = await processes.start();
  const difference = async () => {
    const { rows } = await env.pool.query(
      'select extract(epoch from environment_time.now() - now())::float8 as seconds',
    );
    return rows[0].seconds;
  };
  expect(await difference()).toBe(0);
  await advanceClock(env, 90, { handlers: [] });
  expect(await difference()).toBe(90);
});
