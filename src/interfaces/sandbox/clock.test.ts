/** The sandbox's clock: offset, factor, standing still. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FixedClock } from '../../../test/support/fixed-clock.ts';
import { createProcesses, type Processes } from '../../../test/support/processes.ts';
import { machineClock } from '../../base/clock.ts';
import { advanceClock } from './advance.ts';
import { SandboxClock } from './clock.ts';

let processes: Processes;
beforeEach(async () => {
  processes = await createProcesses();
});
afterEach(() => processes.close());

const machine = new FixedClock('2026-01-01T00:00:00Z');
const usual = { factor: null, factorSinceMs: null };

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
  clock.adopt({ ...usual, version: 7, offsetMs: 5000, standsAtMs: null });
  clock.adopt({ ...usual, version: 6, offsetMs: 1000, standsAtMs: Date.parse('2026-01-01T00:00:01Z') });
  expect(clock.now().toISOString()).toBe('2026-01-01T00:00:05.000Z');
});

it('moves by whole milliseconds, whatever the fraction of a second is', async () => {
  const { clock, ...env } = await processes.start('sandbox', machine);
  const milliseconds = 16_863_656_731;
  expect((milliseconds / 1000) * 1000).not.toBe(milliseconds);
  await advanceClock({ ...env, clock }, milliseconds / 1000, { handlers: [] });
  expect(clock.now().getTime() - machine.now().getTime()).toBe(milliseconds);
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

it('runs faster by a factor, also while no process runs, and never jumps', async () => {
  const wall = new FixedClock('2026-01-01T00:00:00Z');
  const start = async () => {
    const env = await processes.start('sandbox', wall);
    if (!(env.clock instanceof SandboxClock)) throw new Error('not the sandbox');
    return { env, clock: env.clock, time: () => env.clock.now().toISOString() };
  };
  const first = await start();
  await first.clock.setFactor(60);
  wall.advance(10);
  expect([first.time(), first.clock.factor, first.clock.offsetSeconds]).toEqual(['2026-01-01T00:10:00.000Z', 60, 590]);
  await advanceClock(first.env, 3600, { handlers: [] });
  expect(Math.abs(first.clock.now().getTime() - Date.parse('2026-01-01T01:10:00Z'))).toBeLessThan(1);
  await first.clock.setFactor(2);
  const other = await start();
  await expect.poll(() => other.clock.factor).toBe(2);
  await processes.kill(first.env);
  await processes.kill(other.env);
  const before = first.clock.now().getTime();
  wall.advance(1800);
  const second = await start();
  expect(second.clock.now().getTime() - before).toBe(3_600_000);
  await second.clock.setFactor(1);
  wall.advance(60);
  expect([second.clock.now().getTime() - before, second.clock.factor]).toEqual([3_660_000, 1]);
});

it('has the same time in the database while it runs faster, and stays within a hundred years', async () => {
  const env = await processes.start();
  if (!(env.clock instanceof SandboxClock)) throw new Error('not the sandbox');
  await env.clock.setFactor(1000);
  const before = env.clock.now().getTime();
  const { rows } = await env.pool.query('select extract(epoch from environment_time.now()) * 1000 as ms');
  const between = Number(rows[0].ms);
  expect(between).toBeGreaterThanOrEqual(before - 1000);
  expect(between).toBeLessThanOrEqual(env.clock.now().getTime() + 1000);
  await env.pool.query(`update environment_state
    set clock_factor_since = clock_factor_since - interval '1 year', clock_version = clock_version + 1`);
  const ahead = () => env.clock.now().getTime() - machineClock.now().getTime();
  const hundredYears = 100 * 365.25 * 86_400_000;
  await expect.poll(() => Math.abs(ahead() - hundredYears)).toBeLessThan(1000);
  const later = await env.pool.query('select environment_time.now() - now() as ahead');
  expect(later.rows[0].ahead.days ?? 0).toBe(36_525);
});
