/**
 * `/sandbox/v1/clock` and `/sandbox/v1/orders`: reads and moves the clock, says how fast it runs, and sets how long the
 * caller's number orders stay pending.
 */

import { type Clock, factorOf, isMovable } from '../../base/clock.ts';
import { readMoment } from '../../base/time-text.ts';
import { findAccount, updateAccount } from '../../business/accounts/accounts.ts';
import { limitTexts } from '../../business/accounts/features-and-limits.ts';
import { keepSession } from '../../business/accounts/sessions.ts';
import type { Environment } from '../../engines/environment.ts';
import { JobsStalled } from '../../engines/jobs/due.ts';
import type { TaskHandler } from '../../engines/jobs/handler.ts';
import { type Static, shape } from '../../engines/typed-schema.ts';
import { advanceClock, advanceUntilIdle, ClockTooFar, longestAdvance } from './advance.ts';
import { SandboxClock } from './clock.ts';
import type { ClockMovers } from './clock-movers.ts';
import { BadControlRequest, type Control, ControlError } from './control.ts';

/**
 * A day in a minute and a half. Jobs are looked for every tenth of a second, so beyond this they would run long after
 * their time.
 */
const largestFactor = 1_000;

export const advanceBody = shape.object(
  {
    advance_seconds: shape.optional(shape.integer({ minimum: 1, maximum: longestAdvance })),
    to: shape.optional(
      shape.string({ format: 'date-time', maxLength: 40, description: 'A moment that is still to come.' }),
    ),
    until: shape.optional(
      shape.constant('idle', {
        description: 'As far as something falls due, from one due time to the next.',
      }),
    ),
    within_seconds: shape.optional(
      shape.integer({
        minimum: 1,
        maximum: longestAdvance,
        default: 3600,
        description: 'For `until`: it is idle when nothing falls due in this time.',
      }),
    ),
    factor: shape.optional(
      shape.integer({
        minimum: 1,
        maximum: largestFactor,
        description: 'From now on this many seconds pass in a second; 1 is real time.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const clockControl =
  (handlers: readonly TaskHandler[], movers: ClockMovers): Control =>
  (routes, env) => {
    routes.get('/clock', async () => ({ body: reading(env.clock) }));

    routes.postLong('/clock', advanceBody, async ({ body, caller }) => {
      if (!(await mayMove(env, movers, caller.accountId))) throw new ControlError('clock_not_yours');
      try {
        const before = env.clock.now().getTime();
        await move(env, body, handlers);
        const moved = Math.ceil((env.clock.now().getTime() - before) / 1000);
        if (caller.sessionId !== null) await keepSession(env, caller.sessionId, moved);
      } catch (error) {
        if (error instanceof ClockTooFar) throw new BadControlRequest(error.message);
        throw error instanceof JobsStalled ? new ControlError('jobs_stalled') : error;
      }
      return { body: reading(env.clock) };
    });
  };

/** By one of three ways, or by letting it run faster. */
async function move(
  env: Environment,
  { advance_seconds, to, until, within_seconds = 3600, factor }: Static<typeof advanceBody>,
  handlers: readonly TaskHandler[],
): Promise<void> {
  const ways = [advance_seconds, to, until, factor].filter((way) => way !== undefined);
  if (ways.length !== 1) throw new BadControlRequest('one of advance_seconds, to, until and factor must be given');
  if (factor !== undefined) return setFactor(env.clock, factor);
  if (until !== undefined) return advanceUntilIdle(env, within_seconds, { handlers });
  const seconds =
    advance_seconds ?? ((readMoment(to ?? '')?.getTime() ?? Number.NaN) - env.clock.now().getTime()) / 1000;
  if (!(seconds > 0 && seconds <= longestAdvance)) {
    throw new BadControlRequest('to must be a moment in the future, and at most ten years away');
  }
  await advanceClock(env, seconds, { handlers });
}

async function setFactor(clock: Clock, factor: number): Promise<void> {
  if (!(clock instanceof SandboxClock)) throw new BadControlRequest('this clock has no factor');
  await clock.setFactor(factor);
}

async function mayMove(env: Environment, movers: ClockMovers, accountId: string): Promise<boolean> {
  if (typeof movers === 'string') return movers === 'any';
  for (const named of movers.accounts) {
    if ((await findAccount(env, named))?.id === accountId) return true;
  }
  return false;
}

function reading(clock: Clock): { now: string; offset_seconds: number; factor: number } {
  const offset_seconds = isMovable(clock) ? clock.offsetSeconds : 0;
  return { now: clock.now().toISOString(), offset_seconds, factor: factorOf(clock) };
}

const { min, max } = limitTexts.sandbox_order_seconds;

export const orderDelayBody = shape.object(
  { delay_seconds: shape.integer({ minimum: min, maximum: max }) },
  { additionalProperties: false },
);

export const ordersControl: Control = (routes, env) => {
  routes.get('/orders', async ({ caller }) => {
    const account = await findAccount(env, caller.accountId);
    return { body: { delay_seconds: account?.limits.sandbox_order_seconds ?? env.orderSeconds ?? 0 } };
  });
  routes.post('/orders', orderDelayBody, async ({ caller, body }) => {
    const limits = { sandbox_order_seconds: body.delay_seconds };
    await updateAccount(env, caller.accountId, { limits });
    return { body };
  });
};
