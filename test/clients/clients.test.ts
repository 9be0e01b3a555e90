/** Programs in many languages do the declared scenario against a running server; then bytes, as clients write them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clients, idOf, missing } from './clients.ts';
import { installOwnPackages } from './own-packages.ts';
import { type Printed, runAll } from './run-program.ts';
import { platformSteps, type Step, verificationSteps } from './scenario.ts';
import { type ClientServer, startClientServer } from './server.ts';
import { bodyHabits } from './wire/body-habits.ts';
import { converse, statusesIn } from './wire/converse.ts';
import { openGround } from './wire/ground.ts';
import type { Ground } from './wire/habit.ts';
import { headHabits } from './wire/head-habits.ts';

let server: ClientServer;
let runs: Map<string, Promise<Printed>>;
beforeAll(async () => {
  installOwnPackages();
  server = await startClientServer();
  runs = runAll(clients, server);
  for (const { name, reason } of missing) process.stdout.write(`Not in the matrix: ${name}. ${reason}\n`);
});
afterAll(() => server?.stop());

const linesOf = (steps: readonly Step[]) => steps.map(({ name, expected }) => `${name}: ${expected}`);

describe.each(clients)('$language: $name', (client) => {
  test.each([
    ['/v3', platformSteps],
    ['/api/v1', verificationSteps],
  ] as const)('%s', async (_interface, steps) => {
    const printed = (await runs.get(idOf(client))) ?? new Map();
    expect(steps.map((step) => `${step.name}: ${printed.get(step.name)}`)).toEqual(linesOf(steps));
  });
});

describe('on the wire', () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await openGround(server);
  });

  test.each([...headHabits, ...bodyHabits])('$name', async ({ platform, verification }) => {
    for (const { sends, to, statuses, says = '' } of [...platform, ...verification]) {
      const received = await converse(ground.port, sends(ground), to);
      expect([statusesIn(received), received]).toEqual([
        statuses,
        says instanceof RegExp ? expect.stringMatching(says) : expect.stringContaining(says),
      ]);
    }
  });
});
