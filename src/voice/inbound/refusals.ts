/** Decides whether a call to a number may be routed, and with which documented code it is refused. */

/** The state of the called number at the time of the call. */
export interface NumberFacts {
  /** An account owns it. */
  owned: boolean;
  /** No account owns it now, but one did before. */
  retired: boolean;
  blocked: boolean;
  terminated: boolean;
  awaitingRegistration: boolean;
  expiresAt: Date | null;
  /** Balance plus credit, in ten-thousandths. */
  spendable: bigint;
  /** Number of trunks that could take the call. */
  destinations: number;
}

export type RefusalReason =
  | 'unknown_number'
  | 'retired_number'
  | 'service_expired'
  | 'number_blocked'
  | 'awaiting_registration'
  | 'insufficient_balance'
  | 'not_configured'
  | 'no_free_channel'
  | 'number_limit'
  | 'trunk_group_limit'
  | 'trunk_limit'
  | 'protocol_not_supported';

export interface Refusal {
  code: number;
  reason: RefusalReason;
}

/** SIP codes of the contract's call logs (behaviour, sections 2 to 4). */
const codes: Readonly<Record<RefusalReason, number>> = {
  unknown_number: 404,
  retired_number: 410,
  service_expired: 403,
  number_blocked: 403,
  awaiting_registration: 403,
  insufficient_balance: 402,
  not_configured: 404,
  no_free_channel: 480,
  number_limit: 480,
  trunk_group_limit: 480,
  trunk_limit: 480,
  protocol_not_supported: 488,
};

const texts: Readonly<Record<RefusalReason, string>> = {
  unknown_number: 'Unknown number',
  retired_number: 'Number is gone',
  service_expired: 'Service time expired',
  number_blocked: 'Number is blocked',
  awaiting_registration: 'Number awaits registration',
  insufficient_balance: 'Balance too low',
  not_configured: 'Number is not routed',
  no_free_channel: 'Channels are exhausted',
  number_limit: 'Capacity limit of the number reached',
  trunk_group_limit: 'Capacity limit of the trunk group reached',
  trunk_limit: 'Capacity limit of the trunk reached',
  protocol_not_supported: 'Protocol of the trunk is not supported',
};

export const refusal = (reason: RefusalReason): Refusal => ({ code: codes[reason], reason });
export const refusalText = (reason: RefusalReason): string => texts[reason];

/**
 * Returns the first reason that applies, in the order in which a customer would check them; null if the call may be
 * routed.
 */
export function refuseNumber(number: NumberFacts, now: Date): Refusal | null {
  if (!number.owned) return refusal(number.retired ? 'retired_number' : 'unknown_number');
  if (number.expiresAt !== null && number.expiresAt <= now) return refusal('service_expired');
  if (number.awaitingRegistration) return refusal('awaiting_registration');
  if (number.terminated || number.blocked) return refusal('number_blocked');
  if (number.spendable <= 0n) return refusal('insufficient_balance');
  return number.destinations === 0 ? refusal('not_configured') : null;
}
