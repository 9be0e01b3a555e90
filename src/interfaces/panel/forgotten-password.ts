/**
 * Sends the links for a forgotten password. A job does it, so that who asks waits equally long whether anybody has the
 * address.
 */
import { findPeople } from '../../business/accounts/people.ts';
import { inTransaction } from '../../engines/db/transaction.ts';
import type { Environment } from '../../engines/environment.ts';
import { handle, type TaskContext } from '../../engines/jobs/handler.ts';
import { defineTask } from '../../engines/jobs/task.ts';
import { makeLink } from './logins.ts';
import { mailLink } from './mailed-links.ts';

/** `operators`: whether operators sign in where it was asked for. */
export const forgottenTask = defineTask<{ email: string; operators: boolean }>('panel.forgotten_password', {
  priority: 'callbacks',
});

export const sendForgottenPassword = handle(
  forgottenTask,
  async ({ email, operators }, { env }: TaskContext<Environment>) => {
    const people = (await findPeople(env, email)).filter(({ kind }) => kind !== 'operator' || operators);
    for (const person of people) {
      await inTransaction(env.db, async (db) =>
        mailLink({ ...env, db }, person, 'reset', await makeLink({ ...env, db }, person, 'reset')),
      );
    }
  },
);
