/**
 * The simulation of the whole (docs/simulation.md), every seed that has found a fault, and a part of the proof that it
 * finds faults; `npm run simulate -- --old-faults` is the whole of it.
 */
import { inject, test } from 'vitest';
import { template } from '../support/database-server.ts';
import { oldFaults } from './old-faults.ts';
import { runSimulation } from './run-simulation.ts';
import { foundSeeds, usualMinutes } from './seeds.ts';

/** On a machine that is busy with other tests; each is a process of its own. */
const patience = { timeout: 1_200_000, concurrent: true };

const simulate = (seed: number, minutes: number, oldFault: string | null = null) =>
  runSimulation({ server: inject('databaseServer'), template, seed, minutes, oldFault, isWatched: false });

test('a round of faults breaks no promise', patience, async ({ expect }) => {
  const { fault, counts } = await simulate(1, usualMinutes);
  expect(fault).toBe(null);
  expect(counts.killed).toBeGreaterThan(0);
  expect(counts.answered).toBeGreaterThan(0);
});

test.for(foundSeeds)('seed $seed, which found: $found', patience, async ({ seed, minutes }, { expect }) => {
  expect((await simulate(seed, minutes)).fault).toBe(null);
});

const quick = oldFaults.filter(({ isQuick }) => isQuick);

test.for(quick)('it finds again: $about', patience, async ({ name, seed, promise }, { expect }) => {
  expect((await simulate(seed, usualMinutes, name)).fault?.promise).toBe(promise);
});
