/** `/sandbox/v1/clock`: reads the environment's clock, and moves it forward. */
import { Type } from 'typebox';
import { findAccount } from '../accounts/accounts.ts';
import { type Clock, isMovable } from '../clock.ts';
import type { ClockMovers } from '../config/types.ts';
import type { Environment } from '../environment.ts';
import { JobsStalled } from '../jobs/due.ts';
import type { TaskHandler } from '../jobs/handler.ts';
import { advanceClock, ClockTooFar, longestAdvance } from './advance.ts';
import type { Control } from './control.ts';
import { BadControlRequest, ControlError } from './errors.ts';

export const advanceBody = Type.Object(
  { advance_seconds: Type.Integer({ minimum: 1, maximum: longestAdvance }) },
  { additionalProperties: false },
);

export const clockControl =
  (handlers: readonly TaskHandler[], movers: ClockMovers): Control =>
  (routes, env) => {
    routes.get('/clock', async () => ({ body: reading(env.clock) }));

    routes.post('/clock', advanceBody, async ({ body, caller }) => {
      if (!(await mayMove(env, movers, caller.accountId))) throw new ControlError('clock_not_yours');
      try {
        await advanceClock(env, body.advance_seconds, { handlers });
      } catch (error) {
        if (error instanceof ClockTooFar) throw new BadControlRequest(error.message);
        throw error instanceof JobsStalled ? new ControlError('jobs_stalled') : error;
      }
      return { body: reading(env.clock) };
    });
  };

async function mayMove(env: Environment, movers: ClockMovers, accountId: string): Promise<boolean> {
  if (typeof movers === 'string') return movers === 'any';
  for (const named of movers.accounts) {
    if ((await findAccount(env, named))?.id === accountId) return true;
  }
  return false;
}

function reading(clock: Clock): { now: string; offset_seconds: number } {
  return { now: clock.now().toISOString(), offset_seconds: isMovable(clock) ? clock.offsetSeconds : 0 };
}
