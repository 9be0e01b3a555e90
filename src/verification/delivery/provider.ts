/** What delivers a code: one small interface, whoever stands behind it. */
import type { DeliveryMethod } from '../fields.ts';

/** What a provider's sealed secrets are encrypted for. */
export const providerSecretPurpose = 'verification provider secret';
export const receiptSecretPurpose = 'verification provider receipts';

export interface OutgoingMessage {
  verificationId: string;
  destination: string;
  deliveryMethod: DeliveryMethod;
  /** The message, or what a call says. */
  text: string;
  code: string;
  language: string;
  sender: string;
  /** Minutes for which the code is of use. */
  validityMinutes: number;
}

/** Notes that sending begins. Rejects with `DeliveryWithdrawn` when there is nothing to send any more. */
export type Begin = () => Promise<void>;

export interface DeliveryProvider {
  /**
   * Awaits `begin` as late as it can, right before the first byte of the message leaves: a process that is killed before
   * it has surely sent nothing. Resolves with the provider's names for what it took, if it gives any. Gives up as soon as
   * it can once `signal` is aborted.
   */
  send(message: OutgoingMessage, begin: Begin, signal: AbortSignal): Promise<string[]>;
  /** How many messages it is given at once, at most. */
  readonly concurrency: number;
  close(): Promise<void>;
}

/** `reason` is for the metrics: one word of a small set. */
abstract class DeliveryError extends Error {
  readonly reason: string;

  constructor(message: string, reason: string) {
    super(message);
    this.reason = reason;
  }
}

/** Surely not sent: another provider may be asked. */
export class DeliveryRefused extends DeliveryError {
  /** The provider could not be reached or is broken, rather than unwilling to take this message. */
  readonly fault: boolean;

  constructor(message: string, reason: string, fault = false) {
    super(message, reason);
    this.fault = fault;
  }
}

/** Perhaps sent: nobody else is asked, or the number might get two messages. */
export class DeliveryUnknown extends DeliveryError {}

/** The record no longer waits for a message, or another process sends it. Nothing was sent here. */
export class DeliveryWithdrawn extends Error {}
