/**
 * Slows down guessing of passwords. Attempts are counted in the database, so they count together for all processes: by
 * e-mail address and client address together, and by each alone, with higher limits, so that a stranger cannot easily
 * lock out a customer. An attempt counts before its password is checked; a success takes it back. An e-mail address that
 * belongs to no account counts in the same way.
 */
import { hash } from 'node:crypto';
import { addressGroup } from '../accounts/allowed-ips.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Environment } from '../environment.ts';

/** Failures in a row from which on each further attempt has to wait, twice as long each time. */
const limits = { both: 5, email: 50, address: 100 } as const;
const firstWaitSeconds = 30;
const longestWaitSeconds = 900;
/** Failures are forgotten after this time without another. */
const forgottenAfterSeconds = 24 * 3600;

/** How long after its last failure a subject has to wait. */
export function waitAfter(failures: number, limit: number): number {
  return failures < limit ? 0 : Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** Math.min(failures - limit, 10));
}

interface Begun {
  /** Until the next attempt; 0 if this one counts. */
  waitSeconds: number;
  /** If this attempt fails, the next one has to wait. */
  isLast: boolean;
}

interface Attempts {
  /** Counts an attempt. The password may be checked if there is nothing to wait for. */
  begin(): Promise<Begun>;
  /** The password was right: forgets the failures of this e-mail address, and does not count this attempt. */
  succeeded(): Promise<void>;
}

export function attemptsOf(env: Environment, email: string, ip: string): Attempts {
  const address = addressGroup(ip);
  const person = email.trim().toLowerCase();
  const counted = [
    { subject: digest(`both ${person} ${address}`), limit: limits.both },
    { subject: digest(`email ${person}`), limit: limits.email },
    { subject: digest(`address ${address}`), limit: limits.address },
  ].sort((left, right) => Buffer.compare(left.subject, right.subject));
  const subjects = counted.map(({ subject }) => subject);

  return {
    begin: () =>
      inTransaction(env.db, async (trx) => {
        const now = env.clock.now();
        // Written in one order, so that two processes never wait for each other; a conflict waits for the row's lock.
        for (const subject of subjects) {
          await trx
            .insertInto('sign_in_attempts')
            .values({ subject, failures: 0, last_at: now })
            .onConflict((conflict) => conflict.doNothing())
            .execute();
        }
        const rows = await trx
          .selectFrom('sign_in_attempts')
          .selectAll()
          .where('subject', 'in', subjects)
          .orderBy('subject')
          .forUpdate()
          .execute();
        const known = rows.map(({ subject, failures, last_at }) => {
          const passed = (now.getTime() - last_at.getTime()) / 1000;
          const limit = counted.find((each) => each.subject.equals(subject))?.limit ?? limits.both;
          const counts = passed < forgottenAfterSeconds ? failures : 0;
          return { subject, limit, failures: counts, wait: Math.ceil(waitAfter(counts, limit) - passed) };
        });
        const wait = Math.max(0, ...known.map((each) => each.wait));
        if (wait > 0) return { waitSeconds: wait, isLast: false };
        for (const { subject, failures } of known) {
          await trx
            .updateTable('sign_in_attempts')
            .set({ failures: failures + 1, last_at: now })
            .where('subject', '=', subject)
            .execute();
        }
        return { waitSeconds: 0, isLast: known.some(({ failures, limit }) => failures + 1 >= limit) };
      }),

    succeeded: () =>
      inTransaction(env.db, async (trx) => {
        for (const { subject, limit } of counted) {
          if (limit === limits.address) {
            await trx
              .updateTable('sign_in_attempts')
              .set((row) => ({ failures: row('failures', '-', 1) }))
              .where('subject', '=', subject)
              .where('failures', '>', 0)
              .execute();
          } else await trx.deleteFrom('sign_in_attempts').where('subject', '=', subject).execute();
        }
        const old = new Date(env.clock.now().getTime() - forgottenAfterSeconds * 1000);
        await trx.deleteFrom('sign_in_attempts').where('last_at', '<', old).execute();
      }),
  };
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
