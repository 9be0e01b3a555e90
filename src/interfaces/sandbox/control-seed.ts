/** `/sandbox/v1/seed`: accounts, numbers, past calls and verifications in one request, as data. */

import { FieldError } from '../../base/fields.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { findAccount } from '../../business/accounts/accounts.ts';
import { shape } from '../../engines/typed-schema.ts';
import { parseSeed } from '../bootstrap/parse-seed.ts';
import { applySeed } from '../bootstrap/seed.ts';
import { SeedLimitReached } from '../bootstrap/seed-limits.ts';
import { BadControlRequest, type Control, NotPossible } from './control.ts';

/** The members of lists are checked by the reader of the bootstrap file, which names the one that is wrong. */
const entries = (description: string) =>
  shape.optional(shape.array(shape.object({}, { additionalProperties: true }), { maxItems: 10_000, description }));

export const seedBody = shape.object(
  {
    catalogue: shape.optional(shape.constant('demo', { description: 'Loads the demo catalogue if there is none.' })),
    numbers: entries(
      'Numbers for sale: `country`, `type`, `prefix`, `area`, `needs_registration`, `features`, `count`, or one `number`.',
    ),
    accounts: entries(
      'Accounts as in the bootstrap file, with `balance`, `numbers`, `calls` and `verifications`. One without a `name` is your own.',
    ),
  },
  { additionalProperties: false },
);

export const seedControl: Control = (routes, env) => {
  routes.postLong('/seed', seedBody, async ({ caller, body }) => {
    const own = await findAccount(env, caller.accountId);
    try {
      const seed = await parseSeed(body, own?.name ?? '');
      return { status: 201, body: await applySeed(env, seed, caller.accountId) };
    } catch (error) {
      if (error instanceof SeedLimitReached) throw new NotPossible(429, error.message);
      if (error instanceof FieldError || error instanceof OperatorError) throw new BadControlRequest(error.message);
      throw error;
    }
  });
};
