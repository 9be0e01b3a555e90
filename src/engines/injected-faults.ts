/** Faults that a sandbox produces on demand: their names, and how a room asks whether one is to happen now. */
import type { Kysely } from 'kysely';
import type { Schema } from './db/schema.ts';

/** What can go wrong outside of a request, by name. */
export const domainFaults = {
  'order.pending': 'An order of numbers stays pending.',
  'order.canceled': 'An order of numbers is accepted, and then canceled: nobody could deliver it.',
  'order.stock_gone': 'An order of numbers finds that somebody else has bought them.',
  'callback.lost': 'A callback is never sent.',
  'callback.doubled': 'A callback is sent twice.',
  'callback.late': 'A callback is sent later, by `seconds` (an hour if they are missing).',
  'callback.out_of_order': 'A callback is sent after those that follow it within `seconds` (a minute).',
  'event.lost': 'A call event is never sent.',
  'event.doubled': 'A call event is sent twice.',
  'event.late': 'A call event, and those of its call that follow, are sent later, by `seconds` (an hour).',
  'event.out_of_order': 'The events of a call are held back for five seconds, and sent last one first.',
  'sms.failed': 'The provider refuses the message: the verification becomes failed with dispatch_failed.',
  'sms.late': 'The message arrives later, by `seconds` (ten).',
  'sms.twice': 'The message arrives twice.',
  'call.rings_forever': 'Nobody answers a simulated call: every trunk rings until its timeout.',
  'call.drops': 'A simulated call is answered and breaks off after a second.',
  'call.one_way_events': 'The start of a simulated call and its answer are reported; its end never is.',
  'review.rejected': 'The reviewer rejects a submission at once.',
  'renewal.failed': 'The renewal of a number is not paid for: the number expires.',
} as const;

export type DomainFault = keyof typeof domainFaults;

export interface TakenFault {
  readonly name: DomainFault;
  /** How late, where the fault is about time and the test has said so. */
  readonly seconds: number | null;
}

export interface InjectedFaults {
  /**
   * Returns the first of these faults that is to happen now, and counts it; nearly always null. `db` is the caller's
   * transaction.
   */
  take(names: readonly DomainFault[], accountId: string, db?: Kysely<Schema>): Promise<TakenFault | null>;
  /** Whether one of these faults may happen to the account; counts nothing. */
  mayHappen(names: readonly DomainFault[], accountId: string): Promise<boolean>;
}

/** Values of `external_reference_id` that begin like this ask for a fault; listed at `GET /sandbox/v1/scenarios`. */
export const referencePrefix = 'fault:';

/** The word behind the prefix, such as `decline`; null in production and for every other reference. */
export function faultInReference(
  env: { readonly faults?: InjectedFaults },
  reference: string | null | undefined,
): string | null {
  if (env.faults === undefined || !reference?.startsWith(referencePrefix)) return null;
  return /^[a-z_]+/.exec(reference.slice(referencePrefix.length))?.[0] ?? null;
}
