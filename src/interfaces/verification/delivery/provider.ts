/** The interface of a provider that delivers codes, and the errors with which it reports what happened. */
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
  /** Minutes until the code expires. */
  validityMinutes: number;
}

/** Stores that sending begins. Rejects with `DeliveryWithdrawn` if the message must not be sent any more. */
export type Begin = () => Promise<void>;

export interface DeliveryProvider {
  /**
   * Awaits `begin` as late as possible, right before the first byte of the message is sent: a process that is killed
   * before that has certainly sent nothing. Resolves with the provider's ids of the messages, if it gives any. Gives up
   * as soon as possible once `signal` is aborted.
   */
  send(message: OutgoingMessage, begin: Begin, signal: AbortSignal): Promise<string[]>;
  /** How many messages it is given at once, at most. */
  readonly concurrency: number;
  close(): Promise<void>;
}

/** `reason` is for the metrics: one of a few fixed words. */
abstract class DeliveryError extends Error {
  readonly reason: string;

  constructor(message: string, reason: string) {
    super(message);
    this.reason = reason;
  }
}

/** Certainly not sent: another provider may be asked. */
export class DeliveryRefused extends DeliveryError {
  /** The provider could not be reached or is broken; false if it only refused this message. */
  readonly fault: boolean;

  constructor(message: string, reason: string, fault = false) {
    super(message, reason);
    this.fault = fault;
  }
}

/** Perhaps sent: no other provider is asked, because the number might get two messages. */
export class DeliveryUnknown extends DeliveryError {}

/** The verification no longer needs a message, or another process sends it. Nothing was sent here. */
export class DeliveryWithdrawn extends Error {}
