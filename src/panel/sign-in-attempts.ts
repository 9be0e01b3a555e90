/**
 * Slows down guessing of passwords. Attempts are counted in the database, so they count together for all processes: by
 * e-mail address and client address together, and by each alone, with higher limits, so that a stranger cannot easily
 * lock out a customer. An attempt counts before its password is checked; a success takes it back. An e-mail address that
 * belongs to no account counts in the same way.
 *
 * An attempt adds rows of its own and then counts those of the others, so attempts never wait for each other. Of attempts
 * at one moment each may see all the others: then fewer pass than the limit allows, and never more.
 */
import { hash, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { addressGroup } from '../accounts/allowed-ips.ts';
import type { Environment } from '../environment.ts';

/** Failures in a row from which on each further attempt has to wait, twice as long each time. */
const limits = { both: 5, email: 50, address: 100 } as const;
const firstWaitSeconds = 30;
const longestWaitSeconds = 900;
/** A failure is forgotten after this time. */
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

interface Counted {
  subject: Buffer;
  limit: number;
}

export function attemptsOf(env: Environment, email: string, ip: string): Attempts {
  const address = addressGroup(ip);
  const person = email.trim().toLowerCase();
  const both: Counted = { subject: digest(`both ${person} ${address}`), limit: limits.both };
  const byEmail: Counted = { subject: digest(`email ${person}`), limit: limits.email };
  const byAddress: Counted = { subject: digest(`address ${address}`), limit: limits.address };
  const counted = [both, byEmail, byAddress];
  let attemptId = randomUUID();

  return {
    begin: async () => {
      attemptId = randomUUID();
      const now = env.clock.now();
      const before = await standing(env, counted, attemptId, now);
      // Costs a flood of attempts no row.
      if (before.waitSeconds > 0) return before;
      await env.db
        .insertInto('sign_in_failures')
        .values(counted.map(({ subject }) => ({ subject, attempt_id: attemptId, at: now })))
        .execute();
      const begun = await standing(env, counted, attemptId, now);
      if (begun.waitSeconds > 0) {
        const subjects = counted.map(({ subject }) => subject);
        await env.db
          .deleteFrom('sign_in_failures')
          .where('subject', 'in', subjects)
          .where('attempt_id', '=', attemptId)
          .execute();
      }
      return begun;
    },

    succeeded: async () => {
      const old = new Date(env.clock.now().getTime() - forgottenAfterSeconds * 1000);
      // Rows that somebody else is removing at this moment are left to them.
      await sql`
        delete from sign_in_failures where (subject, attempt_id) in (
          select subject, attempt_id from sign_in_failures
          where subject in (${both.subject}, ${byEmail.subject})
            or (subject = ${byAddress.subject} and attempt_id = ${attemptId})
            or at < ${old}
          for update skip locked
        )`.execute(env.db);
    },
  };
}

/** What the failures of others than this attempt say about it. */
async function standing(env: Environment, counted: readonly Counted[], attemptId: string, now: Date): Promise<Begun> {
  const rows = await env.db
    .selectFrom('sign_in_failures')
    .select(({ fn }) => ['subject', fn.countAll<number>().as('failures'), fn.max('at').as('last_at')])
    .where(
      'subject',
      'in',
      counted.map(({ subject }) => subject),
    )
    .where('attempt_id', '!=', attemptId)
    .where('at', '>', new Date(now.getTime() - forgottenAfterSeconds * 1000))
    .groupBy('subject')
    .execute();
  const known = counted.map(({ subject, limit }) => {
    const row = rows.find((each) => each.subject.equals(subject));
    const failures = Number(row?.failures ?? 0);
    const passed = row === undefined ? 0 : (now.getTime() - row.last_at.getTime()) / 1000;
    return { limit, failures, wait: Math.ceil(waitAfter(failures, limit) - passed) };
  });
  const waitSeconds = Math.max(0, ...known.map(({ wait }) => wait));
  return { waitSeconds, isLast: waitSeconds === 0 && known.some(({ failures, limit }) => failures + 1 >= limit) };
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
