/**
 * Money that a call holds ahead of the time it covers. It is granted by the database (`grant_call_money` in
 * src/engines/db/functions/calls) against balance and credit, the threshold of the trunk and the limit of the
 * destination's class, for all calls and processes together: much at a time while there is plenty, one interval at a
 * time when it is scarce. A call is never charged for more than it holds.
 */
import type { Pool } from 'pg';
import { groupedByPool } from '../../engines/db/grouped.ts';
import type { Environment } from '../../engines/environment.ts';
import { type Amount, parseAmount, toSql } from '../money/decimal.ts';
import type { Call, Disconnect } from './call.ts';
import { later } from './moment.ts';
import { costAfter, isFree, secondsFor, type Tariff } from './tariff.ts';

/** Why a call gets no money. */
export type NoMoney = 'insufficient_balance' | 'threshold_reached' | 'risk_limit';

/** The codes and texts with which such a call is refused, or cut if it is up. */
export const noMoneyRefusals = {
  insufficient_balance: { code: 402, text: 'Balance too low' },
  threshold_reached: { code: 403, text: 'Spending threshold reached' },
  risk_limit: { code: 403, text: 'Daily limit of such destinations reached' },
} as const satisfies Record<NoMoney, { code: number; text: string }>;

export function cutFor(reason: NoMoney): Disconnect {
  const { code, text } = noMoneyRefusals[reason];
  return { code, reason: text, initiator: 'switch' };
}

export const isThresholdCut = ({ code, reason }: Disconnect): boolean =>
  code === noMoneyRefusals.threshold_reached.code && reason === noMoneyRefusals.threshold_reached.text;

/** The longest time that is paid ahead; a call of an account with plenty of money asks again so often. */
const longestInterval = 300;

/** What a call asks for: amounts as text for the database. */
export interface Wish {
  hold_least: string;
  hold_most: string;
  /** The number outside that is dialled next, which may belong to a class with a limit of its own. */
  risk_number?: string | null;
}

/**
 * What a call holds at least, unless it is free: its first seconds may cost less than the smallest amount, and a call
 * that held nothing would be taken for a free one.
 */
const smallest: Amount = 1n;

const atLeastSmallest = (amount: Amount): Amount => (amount > smallest ? amount : smallest);

/** What a call needs before it is dialled; null for a free one. */
export function openingWish({ calls }: Pick<Environment, 'calls'>, tariff: Tariff): Wish | null {
  return isFree(tariff) ? null : wish(tariff, 0, 0n, calls.reserveSeconds);
}

/** At least one interval more than it has, at most the longest. */
function wish(tariff: Tariff, covered: number, held: Amount, interval: number): Wish {
  const least = atLeastSmallest(costAfter(tariff, covered + interval) - held);
  const most = costAfter(tariff, covered + Math.max(interval, longestInterval)) - held;
  return { hold_least: toSql(least), hold_most: toSql(most > least ? most : least) };
}

/** What a call that is up asks for before its money ends. */
export const extensionWish = ({ calls }: Pick<Environment, 'calls'>, tariff: Tariff, held: Amount): Wish =>
  wish(tariff, secondsFor(tariff, held), held, calls.reserveSeconds);

/** What a call that is tried at another destination needs beyond what it holds; null if that is free. */
export function rerouteWish(
  { calls }: Pick<Environment, 'calls'>,
  tariff: Tariff,
  held: Amount,
  dialled: string | null,
): Wish | null {
  const missing = atLeastSmallest(costAfter(tariff, calls.reserveSeconds)) - held;
  const amount = toSql(missing > 0n ? missing : 0n);
  const needsNothing = isFree(tariff) || (missing <= 0n && dialled === null);
  return needsNothing ? null : { hold_least: amount, hold_most: amount, risk_number: dialled };
}

/** What the call holds now, why it gets no more, or null if it has ended. */
export async function extend(env: Environment, callId: string, asked: Wish): Promise<Amount | NoMoney | null> {
  const row = await extendTogether(env.pool, { id: callId, ...asked, at: env.clock.now() });
  if (row === null) return null;
  return row.refused ?? parseAmount(row.held);
}

interface Extension extends Wish {
  id: string;
  at: Date;
}

interface Extended {
  call_id: string;
  held: string;
  refused: NoMoney | null;
}

/** Extensions of one moment are decided together. */
const extendTogether = groupedByPool(async (pool: Pool, extensions: readonly Extension[]) => {
  const now = new Date(Math.max(...extensions.map(({ at }) => at.getTime())));
  const values = [JSON.stringify(extensions), now];
  const text = 'select call_id, held, refused from extend_calls($1::json, $2)';
  const { rows } = await pool.query<Extended>({ name: 'voice_extend', text, values });
  const byCall = new Map(rows.map((row) => [row.call_id, row]));
  return extensions.map(({ id }) => byCall.get(id) ?? null);
});

/**
 * The end of a call that ended at `at`: never later than what it holds money for. A timer may fire late; that is not
 * the customer's to pay. `held` is 0 for a free call.
 */
export function paidEnd({ timeConnect }: Call, tariff: Tariff, held: Amount, at: Date): Date {
  if (timeConnect === null || held === 0n) return at;
  const last = later(timeConnect, secondsFor(tariff, held));
  return at > last ? last : at;
}
