/** `clock show`, `clock advance`: reads and moves the sandbox clock. */

import { wholeNumber } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { act, atCommandLine } from '../../interfaces/operator/act.ts';
import { advanceClock, ClockTooFar, longestAdvance } from '../../interfaces/sandbox/advance.ts';
import { taskHandlers } from '../boot/tasks.ts';
import { argument, defineCommand } from './command.ts';
import { environmentOptions, withEnvironment } from './open-environment.ts';

const { data } = environmentOptions;

export const clockCommands = [
  defineCommand({
    name: 'clock show',
    summary: "Show the time of the sandbox's clock.",
    options: { data },
    run: ({ values, out }) =>
      withEnvironment({ ...values, env: 'sandbox' }, async (env) => out(env.clock.now().toISOString())),
  }),
  defineCommand({
    name: 'clock advance',
    summary: "Move the sandbox's clock forward and run what falls due on the way.",
    positionals: ['SECONDS'],
    options: { data },
    notes: 'TRUNKLINE_SANDBOX_CLOCK says who else may: see trunkline serve --help.',
    run: ({ values, positionals: [text = ''], out }) => {
      const seconds = argument('SECONDS', text, wholeNumber(1, longestAdvance));
      return withEnvironment({ ...values, env: 'sandbox' }, async (env) => {
        // An advance is many transactions, so what is asked for is recorded before the first.
        await act(atCommandLine(env), async () => ({
          ...{ result: undefined, action: 'clock.advanced', accountId: null, after: { seconds } },
          subject: { type: 'clock', id: env.name },
        }));
        await advanceClock(env, seconds, { handlers: taskHandlers }).catch((error: unknown) => {
          throw error instanceof ClockTooFar ? new OperatorError(error.message) : error;
        });
        out(env.clock.now().toISOString());
      });
    },
  }),
];
