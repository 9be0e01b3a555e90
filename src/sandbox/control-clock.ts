/** `/sandbox/v1/clock`: reads the environment's clock, and moves it forward. */
import { Type } from 'typebox';
import { type Clock, isMovable } from '../clock.ts';
import { JobsStalled } from '../jobs/due.ts';
import type { TaskHandler } from '../jobs/handler.ts';
import { advanceClock } from './advance.ts';
import type { Control } from './control.ts';
import { ControlError } from './errors.ts';

const tenYears = 10 * 366 * 86_400;

const Advance = Type.Object(
  { advance_seconds: Type.Integer({ minimum: 1, maximum: tenYears }) },
  { additionalProperties: false },
);

export const clockControl =
  (handlers: readonly TaskHandler[]): Control =>
  (routes, env) => {
    routes.get('/clock', async () => ({ body: reading(env.clock) }));

    routes.post('/clock', Advance, async ({ body }) => {
      try {
        await advanceClock(env, body.advance_seconds, { handlers });
      } catch (error) {
        throw error instanceof JobsStalled ? new ControlError('jobs_stalled') : error;
      }
      return { body: reading(env.clock) };
    });
  };

function reading(clock: Clock): { now: string; offset_seconds: number } {
  return { now: clock.now().toISOString(), offset_seconds: isMovable(clock) ? clock.offsetSeconds : 0 };
}
