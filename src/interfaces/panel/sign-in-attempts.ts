/**
 * Slows down guessing of passwords. Failures are counted in the database, so they count together for all processes: by
 * login and client address together, and by each alone, with higher limits, so that a stranger cannot easily lock out a
 * customer. What is counted as a login is a kind of login and an e-mail address, whether there is one or not: limits
 * say nothing about who exists, and nobody changes those of another login by having one with the same address.
 *
 * An attempt adds rows of its own before its password is checked and then counts those of the others, so more never
 * pass than the limit allows, and nobody holds a lock. One that finds no room only because of others that are being
 * checked takes its rows back and tries again in a moment.
 */
import { hash, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { addressGroup } from '../../business/accounts/allowed-ips.ts';
import type { Environment } from '../../engines/environment.ts';
import { type Counted, type Standing, standingOf } from './sign-in-standing.ts';

/** Failures from which on each further attempt has to wait, twice as long each time. */
const limits = { both: 5, login: 50, address: 100 } as const;
/** A failure is forgotten after this time. */
const forgottenAfterSeconds = 24 * 3600;

/** How long an attempt waits for others that are being checked, and how many attempts of this process may. */
const patience = { ms: 5_000, attempts: 40, perAddress: 8 } as const;
const patient = new Map<string, number>();
let patientInAll = 0;

interface Begun {
  /** Until the next attempt; 0 if this one counts. */
  waitSeconds: number;
  /** If this attempt fails, the next one has to wait. */
  isLast: boolean;
  /** The logins whose password may be checked. */
  open: ReadonlySet<string>;
}

interface Attempts {
  /** Counts an attempt. A password may be checked if there is nothing to wait for. */
  begin(): Promise<Begun>;
  /** Runs the check of an attempt that has begun; null counts as a failure, and an error as no attempt. */
  check<T>(work: () => Promise<T | null>): Promise<T | null>;
  /**
   * It was the password of this login: forgets the failures that it had from this address, and does not count this
   * attempt.
   */
  succeeded(login: string): Promise<void>;
}

/** `logins` are the names of those that the attempt may be about. */
export function attemptsOf(env: Environment, logins: readonly string[], ip: string): Attempts {
  const address = addressGroup(ip);
  const byAddress: Counted = { subject: digest(`address ${address}`), limit: limits.address };
  const byLogin = logins.map((login) => ({
    login,
    both: { subject: digest(`both ${login} ${address}`), limit: limits.both },
    alone: { subject: digest(`login ${login}`), limit: limits.login },
  }));
  const counted: readonly Counted[] = [byAddress, ...byLogin.flatMap(({ both, alone }) => [both, alone])];
  const subjects = counted.map(({ subject }) => subject);
  let attemptId = randomUUID();

  const oldest = (): Date => new Date(env.clock.now().getTime() - forgottenAfterSeconds * 1000);
  const standing = async (checkedOnly: boolean): Promise<Begun> => {
    const rows = await env.db
      .selectFrom('sign_in_failures')
      .select(({ fn }) => ['subject', fn.countAll<number>().as('failures'), fn.max('at').as('last_at')])
      .where('subject', 'in', subjects)
      .where('attempt_id', '!=', attemptId)
      .where('at', '>', oldest())
      .$if(checkedOnly, (query) => query.where('checked', '=', true))
      .groupBy('subject')
      .execute();
    return begunOf(byAddress, byLogin, (each) => standingOf(each, rows, env.clock.now()));
  };
  const takeBack = (): Promise<unknown> =>
    env.db
      .deleteFrom('sign_in_failures')
      .where('subject', 'in', subjects)
      .where('attempt_id', '=', attemptId)
      .execute();

  /** Null if only attempts that are being checked are in the way. */
  const tryOnce = async (): Promise<Begun | null> => {
    attemptId = randomUUID();
    const before = await standing(true);
    // Costs a flood of attempts no row.
    if (before.waitSeconds > 0) return before;
    const at = env.clock.now();
    await env.db
      .insertInto('sign_in_failures')
      .values(subjects.map((subject) => ({ subject, attempt_id: attemptId, at })))
      .execute();
    const begun = await standing(false);
    if (begun.open.size === before.open.size) return begun;
    await takeBack();
    return null;
  };

  return {
    begin: async () => {
      const first = await tryOnce();
      return first ?? withPatience(address, tryOnce, () => standing(false));
    },

    check: async (work) => {
      const found = await work().catch(async (error: unknown) => {
        await takeBack();
        throw error;
      });
      if (found === null) {
        await env.db
          .updateTable('sign_in_failures')
          .set({ checked: true })
          .where('subject', 'in', subjects)
          .where('attempt_id', '=', attemptId)
          .execute();
      }
      return found;
    },

    succeeded: async (login) => {
      const own = byLogin.find((each) => each.login === login);
      if (own === undefined) throw new Error('an attempt succeeded with a login that it was not about');
      // Rows that somebody else is removing at this moment are left to them.
      await sql`
        delete from sign_in_failures where (subject, attempt_id) in (
          select subject, attempt_id from sign_in_failures
          where (attempt_id = ${attemptId} and subject = any(${subjects}))
            or subject = ${own.both.subject} and checked
            or (subject = ${own.alone.subject} and checked and attempt_id in (
              select attempt_id from sign_in_failures where subject = ${own.both.subject}))
            or at < ${oldest()}
          for update skip locked
        )`.execute(env.db);
    },
  };
}

/** Tries again until it is known whether there is room, for a moment, and only so many attempts at once. */
async function withPatience(
  address: string,
  tryOnce: () => Promise<Begun | null>,
  giveUp: () => Promise<Begun>,
): Promise<Begun> {
  const own = patient.get(address) ?? 0;
  const end = performance.now() + patience.ms;
  if (own >= patience.perAddress || patientInAll >= patience.attempts) return refusal(await giveUp());
  patient.set(address, own + 1);
  patientInAll += 1;
  try {
    while (performance.now() < end) {
      await wait(randomInt(30, 120));
      const begun = await tryOnce();
      if (begun !== null) return begun;
    }
    return refusal(await giveUp());
  } finally {
    patientInAll -= 1;
    const left = (patient.get(address) ?? 1) - 1;
    if (left > 0) patient.set(address, left);
    else patient.delete(address);
  }
}

const refusal = ({ waitSeconds }: Begun): Begun => ({
  waitSeconds: Math.max(1, waitSeconds),
  isLast: false,
  open: new Set(),
});

interface OfLogin {
  login: string;
  both: Counted;
  alone: Counted;
}

/** An attempt waits for the address, or until the first of its logins is open again. */
function begunOf(byAddress: Counted, byLogin: readonly OfLogin[], read: (counted: Counted) => Standing): Begun {
  const address = read(byAddress);
  const logins = byLogin.map(({ login, both, alone }) => {
    const [pair, whole] = [read(both), read(alone)];
    return { login, wait: Math.max(pair.wait, whole.wait), isLast: pair.isLast || whole.isLast };
  });
  const open = address.wait > 0 ? [] : logins.filter((each) => each.wait <= 0);
  const waitSeconds = Math.max(0, address.wait, Math.min(...logins.map((each) => each.wait)));
  return {
    waitSeconds,
    isLast: waitSeconds === 0 && (address.isLast || open.every((each) => each.isLast)),
    open: new Set(open.map(({ login }) => login)),
  };
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
