/** Decides whether a call to a number may be routed, and with which documented code it is refused. */
import type { Refusal } from '../disconnect-codes.ts';
import { noMoneyRefusals } from '../reservation.ts';

/** The state of a number that an account owns, at the time of the call. */
export interface NumberFacts {
  /** The account is suspended or closed. */
  suspended: boolean;
  blocked: boolean;
  terminated: boolean;
  awaitingRegistration: boolean;
  expiresAt: Date | null;
  /** Balance plus credit, in ten-thousandths. */
  spendable: bigint;
  /** The trunks that could take the call. */
  trunks: readonly unknown[];
}

/** SIP codes of the contract's call logs (behaviour, sections 2 to 4), and the texts shown there. */
const refusals = {
  unknown_number: { code: 404, text: 'Unknown number' },
  retired_number: { code: 410, text: 'Number is gone' },
  account_suspended: { code: 403, text: 'Account is suspended' },
  service_expired: { code: 403, text: 'Service time expired' },
  number_blocked: { code: 403, text: 'Number is blocked' },
  awaiting_registration: { code: 403, text: 'Number awaits registration' },
  ...noMoneyRefusals,
  not_configured: { code: 404, text: 'Number is not routed' },
  no_free_channel: { code: 480, text: 'Channels are exhausted' },
  number_limit: { code: 480, text: 'Capacity limit of the number reached' },
  trunk_group_limit: { code: 480, text: 'Capacity limit of the trunk group reached' },
  trunk_limit: { code: 480, text: 'Capacity limit of the trunk reached' },
  protocol_not_supported: { code: 488, text: 'Protocol of the trunk is not supported' },
} as const;

/** The rules of this table. */
export const inboundReasons: ReadonlySet<string> = new Set(Object.keys(refusals));

export type InboundRefusal = Refusal<keyof typeof refusals>;

export const refusal = (reason: keyof typeof refusals): InboundRefusal => ({ reason, ...refusals[reason] });

/**
 * Returns the first reason that applies, in the order in which a customer would check them; null if the call may be
 * routed.
 */
export function refuseNumber(number: NumberFacts, now: Date): InboundRefusal | null {
  if (number.suspended) return refusal('account_suspended');
  if (number.expiresAt !== null && number.expiresAt <= now) return refusal('service_expired');
  if (number.awaitingRegistration) return refusal('awaiting_registration');
  if (number.terminated || number.blocked) return refusal('number_blocked');
  if (number.spendable <= 0n) return refusal('insufficient_balance');
  return number.trunks.length === 0 ? refusal('not_configured') : null;
}
